# Sourced by scripts that download a package newer than this distribution's, and install nothing:
# `backports FOLDER SUITE` makes lists and sources of its own in a folder, and sets `apt` to the
# options with which apt-get and apt-cache use them. The system's are not changed; the mirror is the
# system's.
backports() {
    mkdir -p "$1/lists/partial" "$1/archives/partial" "$1/sources"
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
        grep -E '/debian/?$' | head -n 1)
    cat > "$1/sources/backports.sources" <<SOURCES
Types: deb
URIs: $mirror
Suites: $2
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
    apt="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$1/sources"
    apt="$apt -o Dir::State::lists=$1/lists -o Dir::Cache=$1"
    cd "$1"
    # shellcheck disable=SC2086
    apt-get $apt -qq update >&2
}
