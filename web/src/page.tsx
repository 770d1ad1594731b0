import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.tsx';
import { chooseChannels } from './channels/choose.ts';
import { whenAsked } from './channels/when-asked.ts';
import { zone } from './lines/zone.ts';
import { openNewest } from './runs/open-newest.ts';
import { openSaved } from './share/open-saved.ts';
import { dropEarly } from './state/early-answers.ts';
import { view } from './state/view.ts';
import { awaitRest } from './ui/rested.ts';

effect(() => {
  zone.value = view.value.zone;
});
openSaved();
openNewest();
chooseChannels();
// All that is asked for at first is asked by now, or in this turn.
setTimeout(dropEarly);
whenAsked(() => {
  render(<App />, document.getElementById('app')!);
  awaitRest();
});
