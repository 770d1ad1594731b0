import { signal } from '@preact/signals';

/** Branches of the tree of channels that one has opened or closed, in this browser. */
const storedAs = 'pitwall.branches';
const most = 500;

const kept: unknown = parsed(localStorage.getItem(storedAs));
export const turned = signal<readonly string[]>(
  Array.isArray(kept) ? kept.filter((path) => typeof path === 'string') : [],
);

export function turnBranch(path: string): void {
  const now = turned.value;
  turned.value = (now.includes(path) ? now.filter((other) => other !== path) : [...now, path]).slice(-most);
  localStorage.setItem(storedAs, JSON.stringify(turned.value));
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
