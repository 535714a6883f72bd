
# `cargo cct …` is completed as `cargo-cct …` is.
complete -c cargo -n "__fish_use_subcommand" -f -a cct -d "Runs tests under many interleavings"
complete -c cargo -n "__fish_seen_subcommand_from cct" -f -a "(complete -C (string replace -r '^\s*cargo\s+cct' cargo-cct -- (commandline -cp)))"
