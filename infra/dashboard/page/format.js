const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const NONE = '–';

export const formatCount = (value) => (value === undefined ? NONE : number.format(value));

/** A duration in ms: `840 ms`, `1.2 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms) {
  if (ms === undefined || ms === null) return NONE;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Dollars as the bot writes them (`shared/utils/format-dollars.ts`): an answer costs some thousandths of a cent. */
export function formatDollars(dollars) {
  if (dollars === undefined || dollars === null) return NONE;
  const decimals = Math.min(20, Math.max(2, 1 - Math.floor(Math.log10(Math.abs(dollars)))));
  return dollars.toLocaleString('en', {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: decimals,
  });
}

/** The time of a moment; with its date unless it is of today. */
export function formatTime(ms, now = Date.now()) {
  if (ms === undefined) return NONE;
  const moment = new Date(ms);
  const isToday = moment.toDateString() === new Date(now).toDateString();
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false };
  const date = isToday ? {} : { month: 'short', day: 'numeric' };
  return new Intl.DateTimeFormat('en', { ...date, ...time }).format(moment);
}

/** The time left, as a clock shows it: `1:05`. */
export function formatLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export const formatBoth = ({ p50, p95 }) => `${formatDuration(p50)} / ${formatDuration(p95)}`;
