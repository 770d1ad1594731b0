// What the address names is asked for while the rest of the page is still being loaded.
import './plots/drawn.ts';
// The rest and what comes later share these: they would be files of their own.
import './ui/draft-field.tsx';
import './ui/problem-text.ts';
import './style/base.css';
import './style/frame.css';
import './style/dialogs.css';
import './style/top.css';
import './style/sides.css';
import './style/runs.css';
import './style/channels.css';
import './style/math.css';
import './style/plots.css';
import './style/plot-parts.css';
import './style/readings.css';
import './style/axis-menu.css';
import './style/beside.css';
import './style/tools.css';
import './style/notes.css';
import './style/laps.css';
import './style/lap-tables.css';
import './style/live.css';
import './style/map.css';
import './style/sheets.css';
import './style/share.css';
import './style/views.css';
import './style/phone.css';
import './style/phone-live.css';

import('./page.tsx');
