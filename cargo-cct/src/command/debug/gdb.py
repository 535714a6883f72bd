"""Workers of a test under cargo-cct, for gdb.

Loaded by `cargo cct replay ID --debugger gdb`. Each worker is a thread to gdb, whose name is the worker's;
the threads of suspended workers sleep in the kernel, on their workers' stacks. The script has the test stop
where it fails, and calls that gdb evaluates take no steps.
"""

import re

import gdb

RUNTIME = ("/cct-runtime/src/", "/cct-shims/src/", "/cct-macros/src/")
OTHERS = RUNTIME + ("/rustc/", "/lib/rustlib/src/", "/registry/src/", "/git/checkouts/", "../sysdeps/")


def file_of(frame):
    sal = frame.find_sal()
    return (sal.symtab.fullname() or "") if sal is not None and sal.symtab is not None else ""


def is_runtimes(frame):
    name = frame.name() or ""
    file = file_of(frame)
    return any(part in file for part in RUNTIME) or name.startswith(
        ("cct::", "<cct::", "cct_shims::", "<cct_shims::", "cct_stopped_here")
    )


def is_own(frame):
    """True for the user's code."""
    file = file_of(frame)
    return file != "" and not is_runtimes(frame) and not any(part in file for part in OTHERS)


def own_frame():
    """The innermost frame of the selected thread that is the user's."""
    frame = gdb.newest_frame()
    while frame is not None:
        if is_own(frame):
            return frame
        frame = frame.older()
    return None


def address_of(symbol):
    """The address of a static of the runtime; none if the program has no such one."""
    try:
        told = gdb.execute("info address " + symbol, to_string=True)
    except gdb.error:
        return None
    found = re.search("0x[0-9a-f]+", told)
    return int(found.group(), 16) if found else None


def word_at(address):
    memory = gdb.selected_inferior().read_memory(address, 8)
    return int.from_bytes(bytes(memory), "little")


def set_word(address, value):
    gdb.selected_inferior().write_memory(address, value.to_bytes(8, "little"))


def reason():
    """Why the process has stopped."""
    place = address_of("CCT_STOPPED_BECAUSE")
    text = word_at(place) if place else 0
    if text == 0:
        return ""
    inferior, said = gdb.selected_inferior(), b""
    while len(said) < 4096:
        byte = bytes(inferior.read_memory(text + len(said), 1))
        if byte == b"\0":
            break
        said += byte
    return said.decode("utf-8", "replace")


def line_of(frame):
    sal = frame.find_sal()
    file = sal.symtab.filename if sal is not None and sal.symtab is not None else "?"
    return "{} at {}:{}".format(frame.name() or "?", file, sal.line if sal is not None else 0)


def stopped():
    """Says why, and selects the user's frame."""
    thread = gdb.selected_thread()
    print("\ncct: {} stops: {}".format(thread.name, reason()))
    frame = own_frame()
    if frame is not None:
        frame.select()
        gdb.execute("frame")


class Hush:
    """A call that gdb evaluates takes no steps: nothing is controlled meanwhile, and nobody else goes on."""

    def __init__(self):
        self.kept = []

    def __call__(self, event):
        if isinstance(event, gdb.InferiorCallPreEvent):
            place = address_of("CCT_ENGINE_CELL")
            cell = word_at(place) if place else 0
            self.kept.append((cell, word_at(cell) if cell else 0, gdb.parameter("scheduler-locking")))
            if cell:
                set_word(cell, 0)
            gdb.execute("set scheduler-locking on", to_string=True)
        elif self.kept:
            cell, engine, locking = self.kept.pop()
            if cell:
                set_word(cell, engine)
            gdb.execute("set scheduler-locking {}".format(locking), to_string=True)


class Frames:
    """Leaves the runtime's frames out of backtraces; `bt -no-filters` has them."""

    def __init__(self):
        self.name, self.priority, self.enabled = "cct", 100, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not is_runtimes(frame.inferior_frame()))


class Cct(gdb.Command):
    """Workers of a test under cargo-cct."""

    def __init__(self):
        super().__init__("cct", gdb.COMMAND_STATUS, prefix=True)


class Workers(gdb.Command):
    """Lists workers, with the user's line that each is at. `thread N` goes to one."""

    def __init__(self):
        super().__init__("cct workers", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        selected = gdb.selected_thread()
        if selected is None:
            print("The program is not being run.")
            return
        frame = gdb.selected_frame()
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
            thread.switch()
            own = own_frame()
            mark = "*" if thread.num == selected.num else " "
            where = line_of(own) if own is not None else "in no code of the workspace"
            print("{} thread {:<3} {:<16} {}".format(mark, thread.num, thread.name or "", where))
        selected.switch()
        frame.select()


def begin():
    for setting in ("print thread-events off", "breakpoint pending on", "startup-with-shell off"):
        gdb.execute("set " + setting, to_string=True)
    stop = gdb.Breakpoint("cct_stopped_here", internal=True)
    stop.silent = True
    stop.commands = "python cct_stopped()"
    gdb.events.inferior_call.connect(Hush())
    Frames()
    Cct()
    Workers()
    print("cct: `run` goes to where the test fails; `info threads` and `cct workers` show the workers")


cct_stopped = stopped
begin()
