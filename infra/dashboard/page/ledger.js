import { byId, element } from './dom.js';
import { formatCount, formatDollars, formatDuration, formatTime, NONE } from './format.js';
import { drawTable, emptyText } from './tables.js';

const STATES = { answered: 'answered', unasked: 'not asked', failed: 'failed', waiting: 'waiting' };

export function drawMessages(data) {
  const { messages } = data;
  drawTable(byId('message-table'), {
    title: 'Messages',
    isTitleHidden: true,
    rows: messages,
    empty: emptyText(data, 'records', 'Nobody asked anything in this time.'),
    columns: [
      { title: 'Received', cell: ({ receivedAt }) => formatTime(receivedAt) },
      { title: 'Outcome', cell: renderOutcome },
      {
        title: 'Ledger',
        cell: ({ trace }) => element('a', { href: `#trace=${trace}`, 'data-key': trace }, 'Show'),
      },
      { title: 'Platform', cell: ({ platform }) => platform ?? NONE },
      { title: 'Channel', cell: ({ channelName, channel }) => channelName ?? channel ?? NONE },
      { title: 'Model', cell: ({ model }) => model ?? NONE },
      { title: 'Waits', isNumber: true, cell: (row) => formatDuration(waitOf(row)) },
      { title: 'First word', isNumber: true, cell: ({ firstWordMs }) => formatDuration(firstWordMs) },
      { title: 'Total', isNumber: true, cell: ({ totalMs }) => formatDuration(totalMs) },
      { title: 'Tokens', isNumber: true, cell: (row) => formatCount(sumTokens(row)) },
      { title: 'Dollars', isNumber: true, cell: ({ dollars }) => formatDollars(dollars) },
      { title: 'Deliveries', isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
      { title: 'Problems', isNumber: true, cell: ({ problems }) => formatCount(problems) },
    ],
  });
}

const renderOutcome = ({ state, reason }) =>
  element(
    'span',
    { class: `state ${state}` },
    reason === undefined ? STATES[state] : `${STATES[state]}: ${reason}`,
  );

const waitOf = ({ queueWaitMs, requestWaitMs }) =>
  queueWaitMs === undefined ? undefined : queueWaitMs + (requestWaitMs ?? 0);

const sumTokens = ({ promptTokens, completionTokens }) =>
  promptTokens === undefined ? undefined : promptTokens + (completionTokens ?? 0);

/** Opens the ledger of the message that the address names, and closes it when the address names none. */
async function showLedger() {
  const dialog = byId('ledger');
  const trace = /^#trace=(.+)$/u.exec(location.hash)?.[1];
  if (trace === undefined) return void dialog.close();
  const response = await fetch(`/message?trace=${encodeURIComponent(trace)}`);
  const content = await response.json();
  const title = element('h2', { id: 'ledger-title', tabindex: '-1' }, 'Ledger of a message');
  const close = element('button', { type: 'button', class: 'close', onclick: () => dialog.close() }, 'Close');
  const head = element('header', {}, title, close);
  dialog.replaceChildren(head, ...(response.ok ? renderParts(content) : [element('p', {}, content.error)]));
  if (!dialog.open) dialog.showModal();
  title.focus();
}

/** Closing the ledger by any means clears the address. */
export function startLedger() {
  byId('ledger').addEventListener('close', () => {
    if (!location.hash.startsWith('#trace=')) return;
    const trace = location.hash.slice('#trace='.length);
    history.replaceState(null, '', '#messages');
    document.querySelector(`[data-key="${CSS.escape(trace)}"]`)?.focus();
  });
  addEventListener('hashchange', () => void showLedger());
  void showLedger();
}

function renderParts({ row, entries }) {
  const facts = [
    ['Outcome', renderOutcome(row)],
    ['Received', formatTime(row.receivedAt)],
    ['Place', [row.platform, row.channelName ?? row.channel, row.message].filter(Boolean).join(', ') || NONE],
    ['Model', row.model ?? NONE],
    ['Waited for a worker', formatDuration(row.queueWaitMs)],
    ['Waited for the models', formatDuration(row.requestWaitMs)],
    ['First word', formatDuration(row.firstWordMs)],
    ['Total', formatDuration(row.totalMs)],
    ['Requests to the models', formatCount(row.requests)],
    ['Deliveries of the task', formatCount(row.attempts)],
    [
      'Tokens',
      row.promptTokens === undefined
        ? NONE
        : `${formatCount(row.promptTokens)} + ${formatCount(row.completionTokens)}`,
    ],
    ['Dollars', formatDollars(row.dollars)],
    ['Trace', row.trace],
  ];
  const list = element(
    'dl',
    {},
    ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );
  const steps = entries.map(({ at, what, source, details, isProblem }) =>
    element(
      'li',
      { class: isProblem ? 'problem' : undefined },
      element('span', { class: 'when' }, `+${formatDuration(at - row.receivedAt)}`),
      element(
        'span',
        { class: 'what' },
        isProblem ? `⚠ ${what}` : what,
        element('small', {}, [source, details].filter(Boolean).join(' · ')),
      ),
    ),
  );
  return [
    list,
    element('h3', {}, 'From the event to the final update'),
    element('ol', { class: 'ledger' }, ...steps),
  ];
}
