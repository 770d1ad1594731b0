import { effect } from '@preact/signals';
import type { TaggedView } from '../../../src/client/client.ts';
import { client, isShared } from '../session.ts';
import { saved, show } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { partsOf } from './saved-content.ts';

/** The view that the address names and does not hold, as the links of shares do. */
export const opening = loaded<TaggedView>(() => {
  const service = client.value;
  const { id, tag } = saved.value;
  if (service === undefined || id === '' || tag !== '') return undefined;
  return (signal) => service.view(id, { signal });
});

/** Shows it when it has come. */
export function openSaved(): void {
  effect(() => {
    const { value } = opening.value;
    if (value !== undefined && value.id === saved.peek().id && saved.peek().tag === '')
      showSaved(value, 'settle');
  });
}

export function showSaved(view: TaggedView, step: 'push' | 'settle' = 'push'): void {
  show({ ...partsOf(view, isShared), savedId: view.id, savedTag: view.etag }, step);
}
