/// The queries of a store.
enum Statements {
    /// Finds the row of a hash. There is one for each hash: another key with the same hash replaces it.
    static let find: StaticString = """
        SELECT id, flags, length, written, expires, file, checksum, key, facts, body FROM entry WHERE hash = ?
        """

    static let row: StaticString = """
        SELECT id, flags, length, written, expires, file, checksum, key, facts, body FROM entry WHERE id = ?
        """

    /// Returns the rows that follow one, in the order in which they were written.
    static let page: StaticString = """
        SELECT id, flags, length, written, expires, file, checksum, key, facts, body FROM entry
        WHERE id > ? ORDER BY id LIMIT 256
        """

    /// Returns the rows that the hand of the clock visits next, and whether they were read since its last visit.
    static let next: StaticString = """
        SELECT entry.id, flags, length, written, expires, file, checksum, key, facts, NULL, touched.id IS NOT NULL
        FROM entry LEFT JOIN touched ON touched.id = entry.id
        WHERE entry.id > ? AND entry.id <= ? ORDER BY entry.id LIMIT 64
        """

    static let last: StaticString = "SELECT max(id) FROM entry"

    static let expired: StaticString = """
        SELECT id FROM entry WHERE expires <= ? ORDER BY expires LIMIT 256
        """

    static let insert: StaticString = """
        INSERT INTO entry (hash, flags, length, written, expires, file, checksum, key, facts, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    static let update: StaticString = """
        UPDATE entry SET hash = ?, flags = ?, length = ?, written = ?, expires = ?, file = ?, checksum = ?, key = ?,
        facts = ?, body = ? WHERE id = ?
        """

    static let delete: StaticString = "DELETE FROM entry WHERE id = ?"

    static let files: StaticString = "SELECT file FROM entry WHERE file IS NOT NULL"

    static let insertTag: StaticString = "INSERT OR IGNORE INTO tag (name, id) VALUES (?, ?)"
    static let deleteTag: StaticString = "DELETE FROM tag WHERE name = ? AND id = ?"
    static let tagged: StaticString = "SELECT id FROM tag WHERE name = ?"

    /// Returns the rows whose keys have a first line, which includes the line break.
    static let lined: StaticString = """
        SELECT id FROM entry WHERE substr(key, 1, instr(key, x'0a')) = ? AND instr(key, x'0a') > 0
        """

    static let indexed: StaticString = """
        SELECT id FROM entry INDEXED BY entry_line
        WHERE substr(key, 1, instr(key, x'0a')) = ? AND instr(key, x'0a') > 0 AND id = ?
        """

    static let touch: StaticString = "INSERT OR IGNORE INTO touched (id) VALUES (?)"
    static let untouch: StaticString = "DELETE FROM touched WHERE id > ? AND id <= ?"

    static let totals: StaticString = """
        SELECT count, bytes, pinned_count, pinned_bytes, hand, lap, maintained FROM total WHERE id = 1
        """

    static let saveTotals: StaticString = """
        UPDATE total SET count = ?, bytes = ?, pinned_count = ?, pinned_bytes = ?, hand = ?, lap = ?, maintained = ?
        WHERE id = 1
        """

    static let count: StaticString = """
        SELECT count(*), total(length + length(key) + ifnull(length(facts), 0)), total(flags & 1),
        total((flags & 1) * (length + length(key) + ifnull(length(facts), 0))) FROM entry
        """

    /// Returns the incarnation of the history, and the number of the last removal.
    static let history: StaticString = """
        SELECT incarnation, (SELECT max(number) FROM removal) FROM history WHERE id = 1
        """

    /// Returns the time until which changes are followed.
    static let followed: StaticString = "SELECT followed FROM history WHERE id = 1"
    static let setFollowed: StaticString = "UPDATE history SET followed = ?"

    static let clearing: [StaticString] = ["DELETE FROM entry", "DELETE FROM tag", "DELETE FROM touched"]
}
