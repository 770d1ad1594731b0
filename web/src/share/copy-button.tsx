import { useSignal } from '@preact/signals';
import { problemText } from '../ui/problem-text.ts';

/** Browsers give it to pages of a safe origin only. */
const canCopy = navigator.clipboard !== undefined;

/** Copies a text; nothing where the browser lets no page do that. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const isCopied = useSignal(false);
  const problem = useSignal('');
  if (!canCopy) return null;
  return (
    <>
      <button
        type="button"
        onClick={() =>
          navigator.clipboard.writeText(text()).then(
            () => {
              isCopied.value = true;
            },
            (error: Error) => {
              problem.value = problemText(error);
            },
          )
        }
      >
        {isCopied.value ? 'Copied' : label}
      </button>
      <span class="problem" role="alert">
        {problem.value}
      </span>
    </>
  );
}
