import { PitwallError } from '../../errors.ts';
import type { WriteRoom } from './maintenance/write-room.ts';

/** Refuses writes that cannot be taken now. */
export class WriteGate {
  readonly #room: Pick<WriteRoom, 'failure'>;
  /** Workspaces whose removal is on its way to the disk. */
  readonly #closed = new Set<string>();

  constructor(room: Pick<WriteRoom, 'failure'>) {
    this.#room = room;
  }

  /** Throws a PitwallError (503) where a write to these workspaces cannot be taken now. */
  check(workspaces: readonly string[], freesSpace: boolean): void {
    const { failure } = this.#room;
    if (failure !== undefined && !(freesSpace && failure === 'disk_full')) throw new PitwallError(failure);
    // The write would use numbers that are gone when its record is applied, after that of the removal.
    if (workspaces.some((name) => this.#closed.has(name))) {
      throw new PitwallError('overloaded', { detail: 'the workspace is being removed' });
    }
  }

  close(workspaces: readonly string[]): void {
    for (const name of workspaces) this.#closed.add(name);
  }

  open(workspaces: readonly string[]): void {
    for (const name of workspaces) this.#closed.delete(name);
  }
}
