/// The texts of the scripts, in Lua.
enum ScriptText {
    /// The functions of all scripts.
    static let common = """
        local P = KEYS[1]
        local I, L = P .. 'i', P .. 'l'
        local call = redis.call
        local day = 86400000

        local function now()
            local time = call('TIME')
            return time[1] * 1000000 + time[2]
        end

        local function digits(number) return string.format('%.0f', number) end

        local function renew(run)
            local incarnation = string.format('%016.0f', now())
            call('UNLINK', I, L)
            call('ZADD', I, 0, '!' .. run .. ':' .. incarnation)
            call('ZADD', L, digits(now()), '!')
            call('PEXPIRE', I, day)
            call('PEXPIRE', L, day)
            return incarnation
        end

        local function current(run)
            local mark = call('ZRANGE', I, 0, 0)[1]
            local start = '!' .. run .. ':'
            if mark and mark:sub(1, #start) == start then return mark:sub(#start + 1) end
            return renew(run)
        end

        local function read(name)
            local bytes = redis.pcall('GETRANGE', P .. 'e' .. name, 0, 1023)
            if type(bytes) ~= 'string' or #bytes < 46 or bytes:sub(1, 2) ~= 'T1' then return nil end
            local chunks, tagBytes, size = struct.unpack('>I4I4I4', bytes, 35)
            local stop = 46 + tagBytes
            if #bytes < stop then bytes = call('GETRANGE', P .. 'e' .. name, 0, stop - 1) end
            if #bytes < stop or chunks > 100000 then return nil end
            local tags, at = {}, 47
            while at <= stop do
                local count = struct.unpack('>I4', bytes, at)
                tags[#tags + 1] = bytes:sub(at, at + 3 + count)
                at = at + 4 + count
            end
            return {incarnation = bytes:sub(3, 18), generation = bytes:sub(19, 34), chunks = chunks, tags = tags,
                size = stop + size}
        end

        -- A damaged entry has no head.
        local function head(name)
            local isRead, found = pcall(read, name)
            return isRead and found or nil
        end

        local function detach(name, found, grace)
            for _, tag in ipairs(found.tags) do call('ZREM', I, 't' .. tag .. name) end
            for number = 0, found.chunks - 1 do
                call('PEXPIRE', P .. 'b' .. found.generation .. ':' .. number, grace)
            end
        end

        local function drop(name, found, grace)
            if found then detach(name, found, grace) end
            call('UNLINK', P .. 'e' .. name)
            call('ZREM', I, 'k' .. name)
        end

        local function note(what)
            -- After a command that needs no memory, a script may go on without memory: removals always succeed.
            call('UNLINK', P .. 'o')
            local seconds = now()
            local last = call('ZRANGE', L, -1, -1, 'WITHSCORES')[2]
            if last and tonumber(last) >= seconds then seconds = tonumber(last) + 1 end
            if not call('ZSCORE', L, '!') then
                call('ZADD', L, digits(seconds), '!')
                call('PEXPIRE', L, day)
                seconds = seconds + 1
            end
            call('ZADD', L, digits(seconds), what)
            local over = call('ZCARD', L) - 4096
            if over > 0 then
                local gone = call('ZPOPMIN', L, over + 1)
                call('ZADD', L, gone[#gone], '!')
            end
        end

        local function tell(origin, what) call('PUBLISH', P .. 'f', origin .. what) end

        local function owner(member)
            if member:sub(1, 1) == 'k' then return member:sub(2) end
            local count = struct.unpack('>I4', member, 2)
            return member:sub(6 + count)
        end

        """

    /// Stores an entry. Returns 1, or 0 if it was removed since the moment, or -1 if chunks are missing.
    ///
    /// It returns -2 if the deadline has passed. Then the client has given up, and may have removed the entry since.
    static let set = """
        local run, origin, name, life, moment = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
        local generation, chunks, tagBytes, size = ARGV[6], tonumber(ARGV[7]), ARGV[8], tonumber(ARGV[9])
        local grace, samples, longest = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[14])
        if now() > tonumber(ARGV[13]) then return -2 end
        local incarnation = current(run)
        local tags, at = {}, 1
        while at <= #tagBytes do
            local count = struct.unpack('>I4', tagBytes, at)
            tags[#tags + 1] = tagBytes:sub(at, at + 3 + count)
            at = at + 4 + count
        end
        if moment ~= '' then
            local since = moment:sub(18)
            if moment:sub(1, 16) ~= incarnation then return 0 end
            local floor = call('ZSCORE', L, '!')
            if not floor or tonumber(floor) > tonumber(since) then return 0 end
            for _, what in ipairs(call('ZRANGEBYSCORE', L, '(' .. since, '+inf')) do
                local kind, rest = what:sub(1, 1), what:sub(2)
                if kind == 'k' and rest == name then return 0 end
                if kind == 'p' and name:sub(1, #rest) == rest then return 0 end
                if kind == 't' then
                    for _, tag in ipairs(tags) do if tag:sub(5) == rest then return 0 end end
                end
            end
        end
        -- Refused if a chunk was evicted, before others stay for ever.
        for number = 0, chunks - 1 do
            if call('EXISTS', P .. 'b' .. generation .. ':' .. number) == 0 then return -1 end
        end
        -- Refused if there is no memory, before anything has changed.
        if life >= 0 then call('ZADD', I, 0, 'k' .. name) end
        -- The index and the log live longer than the entries. A pinned entry may stay for ever, and so may its index.
        if ARGV[15] == '1' then
            call('ZADD', I, 0, '!~')
            call('PERSIST', I)
        elseif not call('ZSCORE', I, '!~') then
            call('PEXPIRE', I, longest + day)
        end
        call('PEXPIRE', L, longest + day)
        for number = 0, chunks - 1 do
            local chunk = P .. 'b' .. generation .. ':' .. number
            if life > 0 then call('PEXPIRE', chunk, life) else call('PERSIST', chunk) end
        end
        local found = head(name)
        if found then detach(name, found, grace) end
        if life < 0 then
            drop(name, nil, grace)
        else
            local value = 'T1' .. incarnation .. generation ..
                struct.pack('>I4I4I4', chunks, #tagBytes, size) .. tagBytes .. ARGV[10]
            if life > 0 then call('SET', P .. 'e' .. name, value, 'PX', life) else call('SET', P .. 'e' .. name, value) end
            for _, tag in ipairs(tags) do call('ZADD', I, 0, 't' .. tag .. name) end
        end
        for _, member in ipairs(call('ZRANDMEMBER', I, samples)) do
            if member:sub(1, 1) ~= '!' and call('EXISTS', P .. 'e' .. owner(member)) == 0 then call('ZREM', I, member) end
        end
        tell(origin, 'k' .. name)
        return 1
        """

    /// Removes entries by key, and returns their number.
    static let remove = """
        local run, origin, grace = ARGV[1], ARGV[2], tonumber(ARGV[3])
        local incarnation = current(run)
        local count = 0
        for number = 4, #ARGV do
            local name = ARGV[number]
            local found = head(name)
            if found and found.incarnation == incarnation then count = count + 1 end
            drop(name, found, grace)
            note('k' .. name)
            tell(origin, 'k' .. name)
        end
        return count
        """

    /// Removes a part of the entries with a prefix or a tag. Returns their number and the place to continue at.
    static let removeRange = """
        local run, origin, grace = ARGV[1], ARGV[2], tonumber(ARGV[3])
        local kind, what, from, to, limit = ARGV[4], ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8])
        local incarnation = current(run)
        if from:sub(1, 1) == '[' then
            note(kind .. what)
            tell(origin, kind .. what)
        end
        local members = call('ZRANGEBYLEX', I, from, to, 'LIMIT', 0, limit)
        local count = 0
        for _, member in ipairs(members) do
            local name = owner(member)
            local found = head(name)
            local isMeant = found ~= nil
            if kind == 't' and found then
                isMeant = false
                for _, tag in ipairs(found.tags) do if tag:sub(5) == what then isMeant = true end end
            end
            if isMeant then
                if found.incarnation == incarnation then count = count + 1 end
                drop(name, found, grace)
            else
                call('ZREM', I, member)
            end
        end
        if #members < limit then
            tell(origin, kind .. what)
            return {count, ''}
        end
        return {count, '(' .. members[#members]}
        """

    /// Begins a new incarnation, so that all entries become invalid at once. Returns the name of the former index and
    /// the number of its keys.
    static let clear = """
        local run, origin = ARGV[1], ARGV[2]
        local incarnation = current(run)
        local count = call('ZLEXCOUNT', I, '[k', '(l')
        local former = P .. 'x' .. incarnation
        call('RENAME', I, former)
        call('PEXPIRE', former, day)
        renew(run)
        tell(origin, 'a')
        return {former, count}
        """

    /// Removes entries of former incarnations: those of a former index, or those that are named.
    static let discard = """
        local run, grace, former, limit = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
        local incarnation = current(run)
        local names = {}
        local isOver = 1
        if former ~= '' then
            local members = call('ZPOPMIN', former, limit)
            for number = 1, #members, 2 do
                local member = members[number]
                if member:sub(1, 1) == 'k' then names[#names + 1] = member:sub(2) end
            end
            if #members > 0 then isOver = 0 end
        else
            for number = 5, #ARGV do names[#names + 1] = ARGV[number]:sub(#P + 2) end
        end
        local count = 0
        for _, name in ipairs(names) do
            local found = head(name)
            if found and found.incarnation ~= incarnation then
                for number = 0, found.chunks - 1 do
                    call('PEXPIRE', P .. 'b' .. found.generation .. ':' .. number, grace)
                end
                call('UNLINK', P .. 'e' .. name)
                count = count + 1
            end
        end
        return {count, isOver}
        """

    /// Returns a part of the listing: names and heads, and the place to continue at. It changes nothing, not even an index
    /// of another server process, so that looking into a store leaves it as it is.
    static let page = """
        local run, from, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
        local mark, start = call('ZRANGE', I, 0, 0)[1] or '', '!' .. run .. ':'
        if mark:sub(1, #start) ~= start then return {'', {}} end
        local incarnation = mark:sub(#start + 1)
        local members = call('ZRANGEBYLEX', I, from, '(l', 'LIMIT', 0, limit)
        local list = {}
        for _, member in ipairs(members) do
            local name = member:sub(2)
            local found = head(name)
            if found and found.incarnation == incarnation then
                list[#list + 1] = name
                list[#list + 1] = call('GETRANGE', P .. 'e' .. name, 0, found.size - 1)
            end
        end
        return {#members < limit and '' or '(' .. members[#members], list}
        """

    /// Returns the incarnation and the time of the last removal.
    static let moment = """
        local incarnation = current(ARGV[1])
        local last = call('ZRANGE', L, -1, -1, 'WITHSCORES')[2]
        if not last then
            last = digits(now())
            call('ZADD', L, last, '!')
            call('PEXPIRE', L, day)
        end
        return incarnation .. ':' .. digits(tonumber(last))
        """

    /// Releases a lock if it still has the token. With a time, the lock gives up for as long.
    static let unlock = """
        if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
        if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
        redis.call('SET', KEYS[1], '!', 'PX', ARGV[2])
        return 1
        """
}
