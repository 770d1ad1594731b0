import type { Look } from '../lines/colours.ts';
import { Swatch } from '../lines/swatch.tsx';

/** Which colour is which line. */
export function Legend({ lines }: { lines: readonly (Look & { readonly label: string })[] }) {
  return (
    <ul class="legend">
      {lines.map((line) => (
        <li key={line.label}>
          <Swatch look={line} />
          {line.label}
        </li>
      ))}
    </ul>
  );
}
