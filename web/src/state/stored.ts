/** What is kept under names. */
export interface Shelf {
  /** Null where there is none. */
  readonly get: (name: string) => string | null;
  /** Whether the browser keeps it. */
  readonly put: (name: string, text: string) => boolean;
  readonly remove: (name: string) => void;
  readonly names: () => readonly string[];
}

/** What the tab keeps, also when it is loaded anew. */
export const ofTab = shelf(() => sessionStorage);
/** What the browser keeps, for all tabs of this address. */
export const ofBrowser = shelf(() => localStorage);

/** A browser may have no room, or be told to keep nothing: what it refuses is kept until the page is gone. */
function shelf(storage: () => Storage): Shelf {
  const refused = new Map<string, string>();
  return {
    get: (name) => refused.get(name) ?? tried(() => storage().getItem(name)) ?? null,
    put(name, text) {
      const isKept = tried(() => {
        storage().setItem(name, text);
        return true;
      });
      if (isKept) refused.delete(name);
      else refused.set(name, text);
      return isKept ?? false;
    },
    remove(name) {
      refused.delete(name);
      tried(() => storage().removeItem(name));
    },
    names: () => [...refused.keys(), ...(tried(() => Object.keys(storage())) ?? [])],
  };
}

/** Undefined where the browser refuses it. */
export function tried<Value>(act: () => Value): Value | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
