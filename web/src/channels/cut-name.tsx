/** Longer names are cut in their middle where there is no room: their ends tell them apart. */
const longName = 8;
/** Letters of the end that always stands. */
const endLetters = 6;

/** Whether a name may be cut. */
export function isCut(name: string): boolean {
  return name.length > longName;
}

/** A name in one line. */
export function CutName({ name }: { name: string }) {
  if (!isCut(name)) return <span class="cut">{name}</span>;
  const at = name.length - endLetters;
  return (
    <span class="cut">
      <span class="head">{name.slice(0, at)}</span>
      <span class="end">{name.slice(at)}</span>
    </span>
  );
}
