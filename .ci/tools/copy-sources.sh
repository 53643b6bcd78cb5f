# To be sourced. Copies the package into a folder, whose build then has what was unchanged since the last copy.
#
#     copy_sources FOLDER
copy_sources() {
    rm -rf "$1/Sources" "$1/Tools" "$1/Tests"
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard Package.swift README.md Sources System Tools Tests docs |
        xargs -0 cp --parents --preserve=timestamps --target-directory "$1"
}

# Tests of values, texts and decisions, which need neither a second thread nor memory of their own.
value_tests=(
    CacheTests/{CommandLine,Documentation,Values} LoopbackServerTests/Documentation PromiseTests/Documentation
    RequestTests/{Declaring,Documentation,HTTP}
)
