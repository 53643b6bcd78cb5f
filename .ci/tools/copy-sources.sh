# To be sourced. Copies the package into a folder, whose build then has what was unchanged since the last copy.
#
#     copy_sources FOLDER
copy_sources() {
    # Everything, since cp takes files that are there for new ones once it has made a folder.
    rm -rf "$1"/{Package.swift,README.md,Sources,System,Tools,Tests,docs}
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard Package.swift README.md Sources System Tools Tests docs |
        xargs -0 cp --parents --preserve=timestamps --target-directory "$1"
}

# The targets of the tests that send requests, as a part of a pattern.
request_tests='(HTTP|Transport|Request|Auth|Cookies|Transfers|Measuring|Testing|Documentation)Tests'
# Under a sanitizer, one of these runs after the other, so that what is slow there does not keep the tests of the others from
# their threads.
test_runs=('^PromiseTests\.' '^CacheTests\.' '^LoopbackServerTests\.' "^$request_tests\.")

# Tests of values, texts and decisions, which need neither a second thread nor memory of their own.
value_tests=(
    CacheTests/{CommandLine,Documentation,Values} LoopbackServerTests/Documentation PromiseTests/Documentation
    RequestTests/Declaring {Documentation,HTTP}Tests
)

# Removes them from a copy. Their folders stay, because those of targets must be there.
#
#     remove_value_tests FOLDER
remove_value_tests() {
    find "${value_tests[@]/#/$1/Tests/}" -name '*.swift' -delete
}

# Rooms above the transport that declare no unchecked type on Linux. The compiler proves that threads share nothing
# unprotected there, except what extends CallCore. The only raw memory in them is a buffer passed to read or to write, except
# in tokens.
checked_rooms=(
    RequestTests/{Calling/{Logging,Paging},Pipeline/{Redirects,Retry}} {Auth,Measuring,Testing}Tests TransfersTests/Background
)

# Removes from a copy the tests of some rooms, except files with certain names. Files that are not
# called tests stay, for tests that use them.
#
#     remove_tests_of FOLDER 'KEPT|KEPT' ROOM…
remove_tests_of() {
    local copy=$1 kept=$2
    shift 2
    find "${@/#/$copy/Tests/}" -name '*Tests.swift' | grep -vE "/($kept)Tests\.swift$" | xargs rm
}

# Removes from a copy the tests that one thread runs to the end, without waiting. These are the files without any word that
# starts other work or waits for it, unless another file of the folder uses their types.
remove_tests_of_one_thread() {
    local other='await|async|Thread|Dispatch|concurrentPerform|LoopbackServer|Process|\.start|[Pp]romise' file name
    grep -rLE --include='*Tests.swift' "$other" "$1/Tests" | while read -r file; do
        name=$(basename "$file" .swift)
        [ "$(grep -rlw "$name" "$(dirname "$file")" | wc -l)" -gt 1 ] || rm "$file"
    done
}
