/**
 * Room for packages that wait for their slice, which all workspaces share. Where it is used up, the workspace with the most of
 * it lets go of what came last: one that publishes little has its turn whatever the others do.
 */
export interface PublishingRoom {
  /** Of one workspace. */
  open(waiter: Waiter): RoomShare;
  /** Bytes that wait, of all. */
  readonly bytes: number;
}

export interface Waiter {
  /** Lets go of the package that came last, of so many bytes; its readers are told. */
  letGo(): number;
}

export interface RoomShare {
  /** False where there is no room: then this workspace has the most, and the package is not to wait. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  close(): void;
}

/**
 * The bytes that may wait to be published: about a second's worth with a few readers. One package alone may be
 * larger.
 */
const defaultRoomBytes = 64 << 20;

export function publishingRoom(maxBytes = defaultRoomBytes): PublishingRoom {
  /** Only of those that have some. */
  const held = new Map<Waiter, number>();
  let total = 0;

  function add(waiter: Waiter, bytes: number): void {
    const now = (held.get(waiter) ?? 0) + bytes;
    total += bytes;
    if (now > 0) held.set(waiter, now);
    else held.delete(waiter);
  }

  function largest(): { readonly waiter: Waiter; readonly bytes: number } | undefined {
    let found: { waiter: Waiter; bytes: number } | undefined;
    for (const [waiter, bytes] of held) if (bytes > (found?.bytes ?? 0)) found = { waiter, bytes };
    return found;
  }

  return {
    open: (waiter) => ({
      take(bytes) {
        while (total > 0 && total + bytes > maxBytes) {
          const most = largest()!;
          if (most.bytes <= (held.get(waiter) ?? 0) + bytes) return false;
          add(most.waiter, -most.waiter.letGo());
        }
        add(waiter, bytes);
        return true;
      },
      give: (bytes) => add(waiter, -bytes),
      close: () => add(waiter, -(held.get(waiter) ?? 0)),
    }),
    get bytes() {
      return total;
    },
  };
}
