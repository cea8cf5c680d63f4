#compdef ruse
_ruse() {
    local word
    local -a found
    for word in ${(f)"$(ruse complete -- "${(@)words[1,CURRENT]}" 2>/dev/null)"}; do
        if [[ $word == :files ]]; then
            _files
        else
            found+=("$word")
        fi
    done
    compadd -a found
}
if [[ $funcstack[1] == _ruse ]]; then
    _ruse "$@"
else
    compdef _ruse ruse
fi
