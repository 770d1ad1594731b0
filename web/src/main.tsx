import { render } from 'preact';
import { App } from './app.tsx';
import './style/base.css';
import './style/frame.css';
import './style/find.css';
import './style/look.css';
import './style/compare.css';
import './style/export.css';
import './style/import.css';
import './style/phone.css';

render(<App />, document.getElementById('app')!);
