#!/bin/sh
# Prints what the program looks like at work, for the README: while it downloads, and when it is done. Needs tmux.
#
#	cd internal/interop && sh demo/picture.sh
set -eu
dir=$(mktemp -d)
trap 'tmux kill-session -t picture 2>/dev/null || true; rm -rf "$dir"' EXIT
go build -o "$dir/demo" ./demo
(cd ../.. && go build -o "$dir/purveyor" ./examples/purveyor)
tmux new-session -d -s picture -x 120 -y 12 "PATH=$dir:/usr/bin:/bin $dir/demo -speed 8 sh -c 'PS1=\"\$ \" exec sh'"
while ! tmux capture-pane -t picture -p | grep -q '^\$'; do sleep 0.2; done
tmux send-keys -t picture 'purveyor install' Enter
sleep 1.1
tmux capture-pane -t picture -p | grep -v '^$'
echo ...
while ! tmux capture-pane -t picture -p | grep -q 'lock.hcl'; do sleep 0.2; done
tmux capture-pane -t picture -p | grep -v '^$' | tail -n +2
