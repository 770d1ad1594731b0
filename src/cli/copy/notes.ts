import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { CommandError } from '../command.ts';

/** A stream of a workspace. */
export interface StreamName {
  readonly workspace: string;
  readonly topic: string;
  readonly streamId: string;
}

/** How far a stream is. */
interface StreamNote {
  /** The `lastUpdate` of the source that all of this is of. */
  as: string;
  /** Whether all of it is copied. */
  isWhole: boolean;
  /** Of parts of it: the last time (ns) that is copied, `all` where it is whole. */
  readonly parts: Map<string, string>;
}

/** A thing besides streams that was put into the target. */
export interface CopiedThing {
  readonly workspace: string;
  readonly kind: string;
  /** The topic that it is of; of a share the view. */
  readonly of?: string;
  readonly id: string;
}

/**
 * What a copy has done, so that another run goes on from there: lines of JSON in a file. The first one says of which copy they
 * are: `{"copy": 1, "from", "to"}`. Others are
 *
 *   {"stream": [workspace, topic, id], "as": lastUpdate, "part": name, "to": ns | "all"}   a part of a stream is copied so far
 *   {"stream": […], "as": lastUpdate}                                                      all of it; "as" empty: look again
 *   {"stream": […], "gone": true}
 *   {"thing": {workspace, kind, of?, id}}, {"thing": {…}, "gone": true}
 *
 * A line is written when the target has what it says.
 */
export class CopyNotes {
  readonly #streams = new Map<string, StreamNote>();
  readonly #things = new Map<string, CopiedThing>();
  readonly #path: string;
  readonly #file: number;

  /** Throws a CommandError for notes of another copy, for a file that is none, and where there is no room for notes. */
  constructor(path: string, from: string, to: string) {
    this.#path = path;
    const head = { copy: 1, from, to };
    const isNew = this.#tried('read', () => !this.#read(path, head));
    this.#file = this.#tried('written', () => openSync(path, 'a', 0o600));
    if (isNew) this.#write(head);
  }

  /** Whether an earlier run has copied all of a stream, and nothing was written to it since. */
  isCopied(name: StreamName, lastUpdate: string): boolean {
    const note = this.#streams.get(keyOf(name));
    return note?.isWhole === true && note.as === lastUpdate;
  }

  knows(name: StreamName): boolean {
    return this.#streams.has(keyOf(name));
  }

  /** Of an earlier run that did not come to the end of the stream: the time (ns) of a part to go on from. */
  partOf(name: StreamName, lastUpdate: string, part: string): bigint | 'all' | undefined {
    const note = this.#streams.get(keyOf(name));
    const to = note?.isWhole === false && note.as === lastUpdate ? note.parts.get(part) : undefined;
    return to === undefined || to === 'all' ? to : BigInt(to);
  }

  partIs(name: StreamName, lastUpdate: string, part: string, to: bigint | 'all'): void {
    this.#note({ stream: listOf(name), as: lastUpdate, part, to: String(to) });
  }

  /** @param lastUpdate undefined where something may have been written since, which it does not tell */
  streamIsCopied(name: StreamName, lastUpdate: string | undefined): void {
    this.#note({ stream: listOf(name), as: lastUpdate ?? '' });
  }

  streamIsGone(name: StreamName): void {
    this.#note({ stream: listOf(name), gone: true });
  }

  /** Returns the streams that earlier runs have copied. */
  streamsOf(workspace: string): StreamName[] {
    return [...this.#streams.keys()]
      .map((key) => JSON.parse(key) as [string, string, string])
      .filter(([own]) => own === workspace)
      .map(([, topic, streamId]) => ({ workspace, topic, streamId }));
  }

  thingIsCopied(thing: CopiedThing): void {
    if (!this.#things.has(JSON.stringify(thing))) this.#note({ thing });
  }

  thingIsGone(thing: CopiedThing): void {
    this.#note({ thing, gone: true });
  }

  thingsOf(workspace: string): CopiedThing[] {
    return [...this.#things.values()].filter((thing) => thing.workspace === workspace);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** False where there are none yet. */
  #read(path: string, { from, to }: Line): boolean {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (!found.isFile()) throw new CommandError(`${path} is no file; give another --notes FILE`);
    const text = readFileSync(path, 'utf8');
    // A line that a copy has not finished, for it was killed or the disk was full.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole === '' && '{"copy":1,'.startsWith(text.slice(0, 10))) {
      truncateSync(path);
      return false;
    }
    const lines = whole.split('\n').slice(0, -1);
    const [head, ...rest] = lines.map((line, i) => parsed(line, `${path}, line ${i + 1}`));
    if (head?.copy !== 1) throw new CommandError(`${path} has no notes of a copy; give another --notes FILE`);
    if (head.from !== from || head.to !== to)
      throw new CommandError(
        `${path} has the notes of a copy from ${head.from} to ${head.to}; give another --notes FILE`,
      );
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
    for (const line of rest) this.#apply(line);
    return true;
  }

  #tried<Done>(what: string, act: () => Done): Done {
    try {
      return act();
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`the notes ${this.#path} cannot be ${what}: ${(error as Error).message}`);
    }
  }

  #note(line: Line): void {
    this.#apply(line);
    this.#write(line);
  }

  #write(line: Line): void {
    this.#tried('written', () => writeFileSync(this.#file, `${JSON.stringify(line)}\n`));
  }

  #apply({ stream, as = '', part, to = 'all', thing, gone }: Line): void {
    if (thing !== undefined) {
      if (gone) this.#things.delete(JSON.stringify(thing));
      else this.#things.set(JSON.stringify(thing), thing);
    }
    if (stream === undefined) return;
    const key = JSON.stringify(stream);
    if (gone) {
      this.#streams.delete(key);
    } else if (part === undefined) {
      this.#streams.set(key, { as, isWhole: true, parts: noParts });
    } else {
      const known = this.#streams.get(key);
      const isSame = known?.isWhole === false && known.as === as;
      const note = isSame ? known : { as, isWhole: false, parts: new Map<string, string>() };
      note.parts.set(part, to);
      this.#streams.set(key, note);
    }
  }
}

const noParts = new Map<string, string>();

interface Line {
  readonly copy?: number;
  readonly from?: string;
  readonly to?: string;
  readonly stream?: readonly string[];
  readonly as?: string;
  readonly part?: string;
  readonly thing?: CopiedThing;
  readonly gone?: boolean;
}

function parsed(line: string, place: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    throw new CommandError(`${place} is damaged; remove the file to copy everything again`);
  }
}

function listOf({ workspace, topic, streamId }: StreamName): string[] {
  return [workspace, topic, streamId];
}

function keyOf(name: StreamName): string {
  return JSON.stringify(listOf(name));
}
