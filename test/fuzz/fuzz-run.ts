// `npm run test:fuzz -- --seconds N --seed S [--only NAME]`: tries inputs for so long with each target, one after the
// other, and ends at the first that breaks its claim.
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', multiple: true },
  },
});
const seconds = Number(values.seconds ?? 60);
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const progressMs = 10_000;

const names = targets.map(({ name }) => name);
const unknown = values.only?.find((name) => !names.includes(name));
if (!(seconds > 0) || !Number.isSafeInteger(seed) || unknown !== undefined) {
  console.error(`--seconds and --seed are numbers; --only is one of ${names.join(', ')}`);
  process.exit(1);
}

console.log(`seed ${seed}, ${seconds} s for each target`);
for (const target of targets.filter(({ name }) => values.only?.includes(name) ?? true)) {
  const close = await target.open?.();
  const start = performance.now();
  let told = start;
  const goOn = (inputs: number): boolean => {
    const now = performance.now();
    if (now - told >= progressMs) {
      told = now;
      console.log(`${target.name}: ${inputs} inputs in ${Math.round((now - start) / 1000)} s`);
    }
    return now - start < seconds * 1000;
  };
  try {
    const { inputs, bytes } = await fuzz(target, { seed, goOn });
    const perSecond = Math.round(inputs / ((performance.now() - start) / 1000));
    console.log(`${target.name}: ${inputs} inputs of ${bytes} bytes hold, ${perSecond} a second`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await close?.();
  }
}
