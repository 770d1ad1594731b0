import { viridis } from './viridis.ts';

/** The colours from the least value to the largest, for who sees them: numbers stand beside. */
export function Ramp({ steps }: { steps: number }) {
  return (
    <span class="ramp" aria-hidden="true">
      {Array.from({ length: steps }, (_, i) => (
        <span key={i} style={{ background: viridis(i / (steps - 1)) }} />
      ))}
    </span>
  );
}
