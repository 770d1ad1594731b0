import { signal } from '@preact/signals';
import { ofBrowser, storedTexts } from '../state/stored.ts';

/** Branches of the tree of channels that one has opened or closed, in this browser. */
const storedAs = 'pitwall.branches';
const most = 500;

export const turned = signal(storedTexts(storedAs));

export function turnBranch(path: string): void {
  const now = turned.value;
  turned.value = (now.includes(path) ? now.filter((other) => other !== path) : [...now, path]).slice(-most);
  ofBrowser.put(storedAs, JSON.stringify(turned.value));
}
