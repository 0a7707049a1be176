import { blocksView, planView, taskView } from './blocks.js';
import { element } from './dom.js';
import { filesView } from './files.js';
import { editView, menuView } from './menu.js';
import { clock, timeView } from './moment.js';
import { authorOf, avatar } from './people.js';
import { markThumbs } from './press.js';
import { wordsView } from './render.js';
import { asSeenBy, isStreaming, statusOf } from './workspace.js';

/**
 * One message with its author, time, words, cards, files, reactions and, in a channel, the way into its thread, which
 * messages that only one person sees do not have. `act` is told of what the person does with it: `press`, `edit`, `save`,
 * `remove`. `isNewSignal`: there are replies that they have not seen.
 */
export function messageView(state, whole, { replies, openThread, isNews, now, person, editing, act }) {
  const message = asSeenBy(whole, person, now);
  const author = authorOf(state, message.user);
  const streaming = isStreaming(message, now);
  const mine = message.user === person && !message.tombstone;
  const thread = message.ephemeralTo ? undefined : openThread;
  const body = element('div', { class: 'body', dir: 'auto' });
  if (message.tombstone) body.append(element('p', { class: 'faint' }, 'This message was deleted.'));
  else if (mine && editing) body.append(editView(state, message, act));
  else body.append(...contentOf(state, message, person, act));
  if (streaming)
    (deepestLast(body) ?? body).append(element('span', { class: 'caret', 'aria-hidden': 'true' }));
  const view = element(
    'article',
    {
      class: message.ephemeralTo ? 'message only-you' : 'message',
      'data-ts': message.ts,
      'aria-busy': String(streaming),
    },
    avatar(author),
    element(
      'div',
      { class: 'content' },
      element(
        'header',
        {},
        element('strong', {}, author.realName),
        author.isBot ? element('span', { class: 'app-mark' }, 'APP') : undefined,
        author.guest ? element('span', { class: 'app-mark' }, 'OTHER COMPANY') : undefined,
        timeView(dateOf(message.ts)),
        message.ephemeralTo ? element('span', { class: 'faint' }, 'Only visible to you') : undefined,
      ),
      stepsOf(state, message),
      body,
      notesOf(state, message),
      message.files && !message.tombstone ? filesView(state, message.files) : undefined,
      reactionsOf(message),
      thread ? threadButton(state, message, { replies, openThread: thread, isNews, now }) : undefined,
    ),
    ...(message.ephemeralTo || message.tombstone || (mine && editing)
      ? []
      : menuView(message, { mine, act, openThread: thread, shortcuts: state.shortcuts ?? [] })),
  );
  markThumbs(view, person, message);
  return view;
}

/** That a message was edited, or its writing stopped by someone. */
function notesOf(state, message) {
  if (message.stream?.stoppedBy)
    return element(
      'span',
      { class: 'faint' },
      `Stopped by ${authorOf(state, message.stream.stoppedBy).realName}`,
    );
  const edited = message.editedAt && !message.tombstone && !message.stream;
  return edited ? element('span', { class: 'faint' }, '(edited)') : undefined;
}

/** The words under a thread while the bot prepares its answer. */
export function statusView(state, status) {
  const words = status.loading.length > 0 ? status.loading[0] : `${state.bot.name} ${status.words}`;
  return [
    element('span', { class: 'dots', 'aria-hidden': 'true' }, element('i'), element('i'), element('i')),
    words,
  ];
}

function threadButton(state, message, { replies, openThread, isNews, now }) {
  const status = statusOf(state, message.channel, message.ts, now);
  const last = replies.at(-1);
  const open = () => openThread(message.ts);
  const attributes = {
    type: 'button',
    class: isNews ? 'replies fresh' : 'replies',
    'data-key': 'replies',
    onclick: open,
  };
  if (!last) return status ? element('button', attributes, ...statusView(state, status)) : undefined;
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
  const writing = replies.some((reply) => isStreaming(reply, now));
  const note = writing ? `${state.bot.name} is writing…` : `last ${clock(dateOf(last.ts))}`;
  return element(
    'button',
    attributes,
    element('b', {}, count),
    element('span', { class: 'faint' }, note),
    isNews ? element('span', { class: 'hidden' }, ' (new)') : undefined,
  );
}

function contentOf(state, message, person, act) {
  const blocks = message.blocks ?? [];
  const own = message.markdown || (message.text !== '' && blocks.length === 0);
  const words = own ? wordsView(state, message.text, message.markdown ? 'markdown' : 'mrkdwn') : [];
  const press = (block, nth, value) => act.press(person, message, block, nth, value);
  return [...words, ...blocksView(state, blocks, press)];
}

/** The task cards of a stream, live. */
function stepsOf(state, message) {
  if (!message.steps?.length && !message.plan) return undefined;
  const cards = (message.steps ?? []).map((step) => taskView(state, step));
  if (message.plan) return planView(message.plan, cards);
  return element('div', { class: 'steps' }, ...cards);
}

function reactionsOf(message) {
  if (!message.reactions?.length) return undefined;
  const signs = {
    eyes: '👀',
    memo: '📝',
    hourglass_flowing_sand: '⏳',
    white_check_mark: '✅',
    warning: '⚠️',
    '+1': '👍',
  };
  const chips = message.reactions.map((one) =>
    element('li', { title: `:${one.name}:` }, `${signs[one.name] ?? `:${one.name}:`} ${one.users.length}`),
  );
  return element('ul', { class: 'reactions', 'aria-label': 'Reactions' }, ...chips);
}

/** Where the writing goes on: the last line of the last block. */
function deepestLast(body) {
  let last = body.lastElementChild;
  while (
    last?.lastElementChild &&
    !['P', 'CODE', 'H3', 'H4', 'H5', 'H6', 'TD', 'BUTTON'].includes(last.tagName)
  )
    last = last.lastElementChild;
  return last;
}

const dateOf = (ts) => new Date(Number(ts.split('.')[0]) * 1000);
