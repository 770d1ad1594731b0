import { storedList } from '../state/stored-list.ts';

const most = 500;

/** Branches of the tree of channels that one has opened or closed, in this browser. */
export const { texts: turned, turn: turnBranch } = storedList('pitwall.branches', most);
