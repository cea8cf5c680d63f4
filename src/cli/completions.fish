function __ruse
    for word in (ruse complete -- (commandline -opc) (commandline -ct) 2>/dev/null)
        if test "$word" = :files
            __fish_complete_path (commandline -ct)
        else
            echo $word
        end
    end
end
complete -c ruse -f -a '(__ruse)'
