import { jsonListTarget, jsonTarget } from './json-target.ts';
import type { Target } from './target.ts';

/** All that is fuzzed. */
export const targets: readonly Target[] = [jsonTarget, jsonListTarget];
