import { repaintCharts } from './charts.js';
import { byId } from './dom.js';
import { drawFaults } from './faults.js';
import { drawMessages, startLedger } from './ledger.js';
import {
  drawAlarms,
  drawErrors,
  drawJobs,
  drawLimits,
  drawNotes,
  drawSpeed,
  drawTotals,
  drawVolume,
} from './sections.js';

const FIRST_REFRESH_MS = 3_000;
const TICK_MS = 1_000;

let isPaused = false;
let state;
/** The server's clock minus that of this browser. */
let clockOffsetMs = 0;
/** The load that is running; undefined if none is. */
let loading;
let refreshTimer;

function draw(data) {
  state = data;
  clockOffsetMs = data.at - Date.now();
  for (const part of [
    drawTotals,
    drawNotes,
    drawSpeed,
    drawVolume,
    drawLimits,
    drawMessages,
    drawErrors,
    drawAlarms,
    drawJobs,
  ])
    part(data);
  byId('system').textContent = data.system;
  tick();
  byId('main').removeAttribute('aria-busy');
}

function tick() {
  if (state) drawFaults(state.faults, clockOffsetMs, changeFault);
}

function report(problem) {
  const box = byId('trouble');
  box.hidden = problem === undefined;
  if (box.textContent !== (problem ?? '')) box.textContent = problem ?? '';
}

/**
 * Loads and draws, and again after the time that the data name. A newer load replaces one that is still running, so that the page
 * never shows an older range.
 */
async function load() {
  clearTimeout(refreshTimer);
  loading?.abort();
  const own = new AbortController();
  loading = own;
  try {
    const response = await fetch(`/data?minutes=${byId('range').value}`, { signal: own.signal });
    const data = await response.json();
    if (own.signal.aborted) return;
    if (!response.ok) return report(data.error);
    report(undefined);
    draw(data);
  } catch (error) {
    if (own.signal.aborted) return;
    report(
      error instanceof TypeError
        ? 'Parley does not respond: it may have stopped. The numbers are old.'
        : String(error),
    );
  } finally {
    if (loading === own) refreshLater();
  }
}

/** A hidden or paused page asks for nothing: each load of a deployment has a price. */
function refreshLater() {
  clearTimeout(refreshTimer);
  refreshTimer = setTimeout(() => {
    if (isPaused || document.hidden) refreshLater();
    else void load();
  }, state?.refreshMs ?? FIRST_REFRESH_MS);
}

async function changeFault(name, seconds) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('/faults', {
    method: 'POST',
    headers,
    body: JSON.stringify({ name, seconds }),
  });
  const content = await response.json();
  if (!response.ok) return report(content.error);
  state = { ...state, faults: content.faults };
  return tick();
}

/** Dark or light: as the system has it, until the button says otherwise. */
function startTheme() {
  const button = byId('theme');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    const theme = localStorage.getItem('theme') ?? (dark.matches ? 'dark' : 'light');
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === 'dark' ? 'Light colors' : 'Dark colors';
    repaintCharts();
  };
  dark.addEventListener('change', paint);
  button.addEventListener('click', () => {
    localStorage.setItem('theme', document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    paint();
  });
  paint();
}

function startControls() {
  const pause = byId('pause');
  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Continue' : 'Pause';
    if (!isPaused) void load();
  });
  const range = byId('range');
  range.value = localStorage.getItem('range') ?? range.value;
  range.addEventListener('change', () => {
    localStorage.setItem('range', range.value);
    void load();
  });
}

startTheme();
startControls();
startLedger();
void load();
// Who comes back to the page sees present numbers at once.
document.addEventListener('visibilitychange', () => {
  if (!isPaused && !document.hidden) void load();
});
setInterval(tick, TICK_MS);
