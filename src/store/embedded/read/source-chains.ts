import type { Source } from './sources.ts';
import type { PartRange } from './walk-ranges.ts';

/** Sources, and the wanted parameters that they alone may have. */
export interface SourceChain {
  readonly parameters: number[];
  readonly sources: (Source | PartRange)[];
}

/** Puts sources into chains: parameters that some source may have together are in one chain, with all their sources. */
export function sourceChains(wanted: ReadonlySet<number>) {
  const chains = new Map<number, SourceChain>();
  for (const parameter of wanted) chains.set(parameter, { parameters: [parameter], sources: [] });

  /** Puts two chains together. */
  function join(chain: SourceChain, other: SourceChain): void {
    chain.sources.push(...other.sources);
    for (const parameter of other.parameters) {
      chain.parameters.push(parameter);
      chains.set(parameter, chain);
    }
  }

  return {
    /** @param parameters of which the source may have values */
    add(source: Source | PartRange, parameters: Iterable<number>): void {
      let chain: SourceChain | undefined;
      for (const parameter of parameters) {
        const other = chains.get(parameter);
        if (other === undefined || other === chain) continue;
        if (chain === undefined) chain = other;
        else join(chain, other);
      }
      chain?.sources.push(source);
    },
    all: (): SourceChain[] => [...new Set(chains.values())],
  };
}
