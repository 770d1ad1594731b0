/**
 * The smallest input that still fails, as far as taking spans away and making bytes plain leads. `fails` is asked so
 * many times at most.
 */
export async function shrink(
  input: Buffer,
  fails: (input: Buffer) => Promise<boolean>,
  mostTries = 5000,
): Promise<Buffer> {
  let smallest: Buffer = Buffer.from(input);
  let tries = 0;
  const improves = async (candidate: Buffer): Promise<boolean> => {
    if (tries++ >= mostTries || !(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  for (let before = -1; before !== smallest.length && tries < mostTries; ) {
    before = smallest.length;
    for (let span = smallest.length; span > 0; span >>= 1) {
      for (let at = 0; at < smallest.length; ) {
        const end = Math.min(smallest.length, at + span);
        const without = Buffer.concat([smallest.subarray(0, at), smallest.subarray(end)]);
        if (!(await improves(without))) at += span;
      }
    }
  }
  for (let at = 0; at < smallest.length; at++) {
    if (smallest[at] === plainByte) continue;
    const plainer = Buffer.from(smallest);
    plainer[at] = plainByte;
    await improves(plainer);
  }
  return smallest;
}

/** A digit: most readers take one nearly everywhere. */
const plainByte = 0x30;
