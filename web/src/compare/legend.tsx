/** Which colour is which line. */
export function Legend({ lines }: { lines: readonly { readonly label: string; readonly colour: string }[] }) {
  return (
    <ul class="legend">
      {lines.map(({ label, colour }) => (
        <li key={label}>
          <span class="swatch" style={{ background: colour }} />
          {label}
        </li>
      ))}
    </ul>
  );
}
