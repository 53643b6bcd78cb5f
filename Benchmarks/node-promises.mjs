// The workloads of the promise suite with the native promises of Node, for comparison.
//
//     node --expose-gc node-promises.mjs [rounds]
//
// The garbage of one workload is collected before the next one starts, if `--expose-gc` allows it.
// Prints JSON: for each its name, and nanoseconds for one operation (median of the rounds).

const rounds = Number(process.argv[2] ?? 9);
const increment = (number) => number + 1;

const workloads = {
    'then on a resolved promise': [20_000, () => {
        let last;
        for (let i = 0; i < 20_000; i++) last = Promise.resolve(i).then(increment);
        return last;
    }],
    'chain of 1,000 links': [20_000, async () => {
        for (let i = 0; i < 20; i++) {
            const { promise, resolve } = pending();
            let last = promise;
            for (let link = 0; link < 1_000; link++) last = last.then(increment);
            resolve(0);
            await last;
        }
    }],
    'rejection past 1,000 links': [20_000, async () => {
        for (let i = 0; i < 20; i++) {
            const { promise, reject } = pending();
            let last = promise;
            for (let link = 0; link < 1_000; link++) last = last.then(increment);
            last = last.catch(() => {});
            reject(new Error('rejected'));
            await last;
        }
    }],
    'all of 10,000 (one thread)': [10_000, () => {
        const all = [];
        for (let i = 0; i < 10_000; i++) all.push(pending());
        const result = Promise.all(all.map((one) => one.promise));
        all.forEach((one, index) => one.resolve(index));
        return result;
    }],
    '10,000 observers of one promise': [10_000, () => {
        const { promise, resolve } = pending();
        let last;
        for (let i = 0; i < 10_000; i++) last = promise.then(increment);
        resolve(1);
        return last;
    }],
    'await a resolved promise': [20_000, async () => {
        const promise = Promise.resolve(1);
        for (let i = 0; i < 20_000; i++) await promise;
    }],
    'a million links: build, run': [1_000_000, () => {
        const { promise, resolve } = pending();
        let last = promise;
        for (let link = 0; link < 1_000_000; link++) last = last.then(increment);
        resolve(0);
        return last;
    }],
    'loop of a million promise-returning handlers': [1_000_000, () => {
        const loop = (remaining) =>
            remaining === 0 ? Promise.resolve(0) : Promise.resolve(remaining - 1).then(loop);
        return loop(1_000_000);
    }],
};

function pending() {
    let resolve, reject;
    const promise = new Promise((fulfil, refuse) => { resolve = fulfil; reject = refuse; });
    return { promise, resolve, reject };
}

const results = new Map(Object.keys(workloads).map((name) => [name, []]));
for (let round = -1; round < rounds; round++) {
    for (const [name, [operations, run]] of Object.entries(workloads)) {
        globalThis.gc?.();
        const start = process.hrtime.bigint();
        await run();
        const nanoseconds = Number(process.hrtime.bigint() - start) / operations;
        if (round >= 0 || rounds === 1) results.get(name).push(nanoseconds);
    }
}
const rows = [];
for (const [name, times] of results) {
    times.sort((a, b) => a - b);
    rows.push({ name, nanoseconds: times[Math.floor(times.length / 2)] });
}
console.log(JSON.stringify(rows));
