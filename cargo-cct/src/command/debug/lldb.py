"""Workers of a test under cargo-cct, for lldb.

Loaded by `cargo cct replay ID --debugger lldb`. Each worker is a thread to lldb, whose name is the worker's;
the threads of suspended workers sleep in the kernel, on their workers' stacks. The script has the test stop
where it fails.
"""

import re

import lldb

RUNTIME = ("/cct-runtime/src/", "/cct-shims/src/", "/cct-macros/src/")
OTHERS = RUNTIME + ("/rustc/", "/lib/rustlib/src/", "/registry/src/", "/git/checkouts/", "../sysdeps/")


def is_own(frame):
    """True for the user's code."""
    spec = frame.GetLineEntry().GetFileSpec()
    file = spec.fullpath if spec.IsValid() else None
    return bool(file) and not any(part in file for part in OTHERS)


def own_frame(thread):
    """The innermost frame of the thread that is the user's."""
    return next((frame for frame in thread if is_own(frame)), None)


def reason(process):
    """Why the process has stopped."""
    found = process.GetTarget().FindSymbols("CCT_STOPPED_BECAUSE")
    if len(found) == 0:
        return ""
    error = lldb.SBError()
    place = found[0].GetSymbol().GetStartAddress().GetLoadAddress(process.GetTarget())
    text = process.ReadPointerFromMemory(place, error)
    said = process.ReadCStringFromMemory(text, 4096, error) if error.Success() and text else ""
    return said if error.Success() else ""


def stopped(frame, _location, _extra, _dictionary):
    """Says why, and selects the user's frame."""
    thread = frame.GetThread()
    print("\ncct: {} stops: {}".format(thread.GetName(), reason(thread.GetProcess())))
    own = own_frame(thread)
    if own is not None:
        thread.SetSelectedFrame(own.GetFrameID())
    return True


def workers(debugger, _command, result, _dictionary):
    """Lists workers, with the user's line that each is at. `thread select N` goes to one."""
    process = debugger.GetSelectedTarget().GetProcess()
    selected = process.GetSelectedThread().GetIndexID()
    for thread in process:
        own = own_frame(thread)
        entry = own.GetLineEntry() if own is not None else None
        where = "in no code of the workspace"
        if entry is not None:
            file = entry.GetFileSpec().GetFilename()
            function = re.sub("::h[0-9a-f]{16}$", "", own.GetFunctionName() or "?")
            where = "{} at {}:{}".format(function, file, entry.GetLine())
        mark = "*" if thread.GetIndexID() == selected else " "
        number, name = thread.GetIndexID(), thread.GetName() or ""
        result.AppendMessage("{} thread {:<3} {:<16} {}".format(mark, number, name, where))


def __lldb_init_module(debugger, _dictionary):
    target = debugger.GetSelectedTarget()
    for stop in target.breakpoint_iter():
        if "cct_stopped_here" in str(stop):
            stop.SetScriptCallbackFunction(__name__ + ".stopped")
    debugger.HandleCommand("command script add -o -f {}.workers cct-workers".format(__name__))
    print("cct: `run` goes to where the test fails; `thread list` and `cct-workers` show the workers")
