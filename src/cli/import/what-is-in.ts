import type { Client } from '../client.ts';
import { CommandError, interruption } from '../command.ts';

/** What a service has of an import, to be told where it ends early. From when it is made, the first Ctrl+C ends no process. */
export class WhatIsIn {
  rows = 0;
  #streams = 0;
  #definitions = 0;
  readonly #ending = interruption();

  constructor(client: Client) {
    client.endWith(this.#ending);
  }

  addStream(): void {
    this.#streams++;
    this.stop();
  }

  addDefinitions(count: number): void {
    this.#definitions += count;
    this.stop();
  }

  /** Throws a CommandError where someone has ended the command. */
  stop(): void {
    if (this.#ending.aborted) throw new CommandError('interrupted');
  }

  /** Does a part of the import of `all` rows; its CommandErrors say what is in. */
  async during<Value>(all: number, act: () => Promise<Value>): Promise<Value> {
    try {
      return await act();
    } catch (error) {
      throw error instanceof CommandError ? this.told(error, all) : error;
    }
  }

  /** The error with what is in; `where` says in which rows it is. */
  told(error: CommandError, all: number, where = ''): CommandError {
    if (this.rows > 0) {
      // The file is good, but for limits of the service, which it alone knows.
      const advice = isRefused(error) ? '' : '; running it again goes on without harm';
      return new CommandError(`${error.message}${where} (${this.rows} of ${all} rows are in${advice})`);
    }
    const described = [
      ...(this.#streams > 0 ? [`what the file says of ${countOf(this.#streams, 'stream')}`] : []),
      ...(this.#definitions > 0 ? [countOf(this.#definitions, 'definition')] : []),
    ];
    const but = described.length > 0 ? `, but ${described.join(' and ')}` : '';
    const isTold = this.#ending.aborted || described.length > 0;
    return new CommandError(`${error.message}${where}${isTold ? ` (no row is in${but})` : ''}`, error.code);
  }
}

export function isRefused({ message }: CommandError): boolean {
  return message.startsWith('400 ');
}

function countOf(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
