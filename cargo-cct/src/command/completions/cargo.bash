
# `cargo cct …` is completed as `cargo-cct …` is, and all else as before.
if ! complete -p cargo >/dev/null 2>&1; then
    if declare -F _comp_load >/dev/null; then
        _comp_load cargo >/dev/null 2>&1
    elif declare -F _completion_loader >/dev/null; then
        _completion_loader cargo >/dev/null 2>&1
    fi
fi
__cargo_cct_before=$(complete -p cargo 2>/dev/null | sed -n 's/.* -F \([^ ]*\) .*/\1/p')
if [[ $__cargo_cct_before == __cargo_cct_subcommand ]]; then
    __cargo_cct_before=
fi
__cargo_cct_subcommand() {
    if [[ ${COMP_WORDS[1]} == cct && $COMP_CWORD -gt 1 ]]; then
        COMP_WORDS=(cargo-cct "${COMP_WORDS[@]:2}")
        COMP_CWORD=$((COMP_CWORD - 1))
        _cargo__cct cargo-cct "$2" "$3"
    elif [[ -n $__cargo_cct_before ]]; then
        "$__cargo_cct_before" "$@"
    fi
}
complete -o nosort -o bashdefault -o default -F __cargo_cct_subcommand cargo
