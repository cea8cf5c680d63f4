_ruse() {
    local word IFS=$'\n'
    COMPREPLY=()
    while read -r word; do
        if [[ $word == :files ]]; then
            compopt -o filenames 2>/dev/null
            COMPREPLY+=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
        else
            COMPREPLY+=("$word")
        fi
    done < <(ruse complete -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
}
complete -F _ruse ruse
