import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { codeCache } from './code-cache.ts';

/** A file that was compiled here, for want of what was kept of it. */
interface Compiled {
  readonly name: string;
  readonly file: Buffer;
  readonly script: Script;
}

interface Module {
  exports: object;
}

/**
 * How often to look for a second of little work: to keep code takes some 50 ms of the thread, once, at last in any
 * second.
 */
const lookMs = 1000;
const littleWork = 0.2;
/**
 * The first look that may keep code: a start and its first requests are over by then, and what they need is kept
 * too.
 */
const firstLook = 10;
const lastLook = 60;

/**
 * Runs a file of the bundle: CommonJS, in ASCII. What it requires with `./` are other files of the bundle. Where what the
 * engine compiled of a file was kept (`cache` in the folder), it is not compiled again; otherwise that is kept after a while, or
 * when the process or thread ends. What a file imports later it asks `importOther` for: in code that was kept, the engine does
 * not know where to import from.
 */
export function runFile(folder: string, name: string): void {
  const kept = codeCache(join(folder, 'cache'));
  const modules = new Map<string, Module>();
  const requireOther = createRequire(join(folder, name));
  let compiled: Compiled[] = [];

  function load(name: string): object {
    const found = modules.get(name);
    if (found !== undefined) return found.exports;
    const filename = join(folder, name);
    const file = readFileSync(filename);
    const cachedData = kept.read(name, file);
    const script = new Script(
      `(function (exports, require, module, __filename, importOther) {${file.toString('latin1')}\n})`,
      {
        filename,
        ...(cachedData === undefined ? {} : { cachedData }),
      },
    );
    if (cachedData === undefined || script.cachedDataRejected === true) keepLater({ name, file, script });
    const module: Module = { exports: {} };
    modules.set(name, module);
    script.runInThisContext()(module.exports, requireFrom, module, filename, importOther);
    return module.exports;
  }

  function requireFrom(name: string): unknown {
    return name.startsWith('./') ? load(name.slice(2)) : requireOther(name);
  }

  function importOther(name: string): Promise<unknown> {
    return import(name.startsWith('.') ? pathToFileURL(join(folder, name)).href : name);
  }

  function keepLater(one: Compiled): void {
    compiled.push(one);
    if (compiled.length > 1) return;
    let looks = 0;
    let before = performance.eventLoopUtilization();
    const clock = setInterval(() => {
      const { utilization } = performance.eventLoopUtilization(before);
      before = performance.eventLoopUtilization();
      looks++;
      if (looks === lastLook || (looks >= firstLook && utilization < littleWork)) keep();
    }, lookMs).unref();
    process.once('exit', keep);
    function keep(): void {
      clearInterval(clock);
      process.off('exit', keep);
      for (const { name, file, script } of compiled) kept.write(name, file, script.createCachedData());
      compiled = [];
    }
  }

  load(name);
}
