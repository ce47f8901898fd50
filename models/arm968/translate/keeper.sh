# keeper.sh - compiles what waits (keeper.h), one after the other, and ends.  Run by `sh -c` in the folder of the cache; $0 is the
# keeper's own folder there, and descriptor 3 has the keeper's lock, which no compiler inherits.  All names are relative: whoever renames
# a folder above this one changes nothing.
#
# A request is C text whose first two lines are comments: the options and the compiler.

keeper=$0
umask 077
ulimit -t 60

# Moves the request that has waited longest to the keeper's folder, and its key to $key; fails if there is none.
take() {
	for name in $(ls -tr waiting); do
		case $name in
		*.c) mv "waiting/$name" "$keeper/" && key=${name%.c} && return 0 ;;
		esac
	done
	return 1
}

make() {
	object=$keeper/$key.$$.so
	if ! [ -e "$key.so" ] && ! [ -e "$key.made" ]; then
		{ read -r options && read -r compiler; } <"$keeper/$key.c"
		if ! TMPDIR=$keeper timeout --foreground -s KILL 3600 \
			"${compiler#//}" ${options#//} -o "$object" "$keeper/$key.c" >/dev/null 3>&- ||
			! mv -f "$object" "$key.made"; then
			: >"$key.tried"
		fi
	fi
	rm -rf "$keeper"/*
}

# Who finds the file "closed" does not rely on this keeper.  The keeper looks again after it has made the file, so a request that was
# made before is seen.  The second part of the pipeline ends all processes of the keeper when the first part has ended, or has been killed.  The first shell
# does not wait for them.
{
	{
		sleep 1 >/dev/null 3>&-
		for round in 1 2 3 4 5 6 7 8; do
			while take; do make; done
			: >"$keeper/closed"
			set -- waiting/*.c
			[ -e "$1" ] || break
			rm "$keeper/closed"
		done
		: >"$keeper/closed"
	} | {
		exec 3>&-
		read -r nothing
		kill -KILL 0
	}
} &
