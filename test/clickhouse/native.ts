// The engine of ClickHouse as npm's chdb brings it: a shared library behind a native module. chdb's own JavaScript is
// done without, because that turns parameters into text in a way that HTTP's parameters have already gone.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../root.ts';

/** The package of its own that holds the engine. */
export const engineFolder = join(root, 'test/clickhouse');

/** A connection as the library knows it: it has settings, parameters and a current database of its own. */
export type Handle = object;

export interface Result {
  readonly bytes: Uint8Array;
  /** Seconds. */
  readonly elapsed: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

export interface Chunk {
  readonly bytes: Uint8Array;
  readonly numRows: number;
  readonly done: boolean;
}

/** The functions of the native module that are used here. Those that end in Async run on a thread of libuv. */
export interface Native {
  /** Connections of one process share one data folder. */
  CreateConnection(dataDir: string, args: readonly string[]): Handle;
  CloseConnection(connection: Handle): void;
  QueryAsyncConnection(connection: Handle, sql: string, format: string): Promise<Result>;
  /** Formats the answer block by block; nothing runs before the first fetch. */
  StreamQuery(connection: Handle, sql: string, format: string): object;
  StreamFetch(stream: object): Promise<Chunk>;
  StreamCancel(stream: object): void;
}

const packageName = '@chdb/lib-linux-x64-gnu';

/** The folder that is there once the engine is installed. */
export const engineInstalled = join(engineFolder, 'node_modules', packageName);

export function loadNative(): Native {
  return createRequire(join(engineFolder, 'package.json'))(packageName) as Native;
}
