import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { edited } from '../channels/edited.ts';
import { streams } from '../state/view.ts';

/** Makes a calculated channel: a button, and in its place the form while one is made or changed. */
export function NewChannel({ form }: { form: ComponentChildren }) {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  const isOpen = edited.value !== undefined;
  useEffect(() => {
    // Who was in the form goes on from here.
    if (wasOpen.current && !isOpen) button.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (streams.value.length === 0) return null;
  if (isOpen) return <>{form}</>;
  return (
    <button
      ref={button}
      type="button"
      class="new-channel"
      onClick={() => {
        edited.value = {};
      }}
    >
      + channel
    </button>
  );
}
