import { startComposers } from './composer.js';
import { openForm } from './discord-form.js';
import { createSend, nonceOf } from './discord-send.js';
import { drawPlaces } from './discord-side.js';
import { createSlash } from './discord-slash.js';
import {
  applyChange,
  channelsFor,
  createState,
  inChannel,
  loadEverything,
  messagesFor,
  nameOf,
} from './discord-state.js';
import { messageView } from './discord-view.js';
import { element } from './dom.js';
import { createDrafts } from './drafts.js';
import { follow } from './feed.js';
import { drawLog, followEnd } from './log.js';
import { ask, notice } from './notice.js';
import { createOutbox } from './outbox.js';
import { authorOf } from './people.js';
import { startTheme } from './theme.js';

const state = createState();
/** What the window shows: whose eyes, which channel. It is in the address, so windows can differ. */
const shown = { person: '', channel: '', editing: undefined, replying: undefined };
const byId = (id) => document.getElementById(id);
const slash = createSlash({ state, shown, send: (name, options) => command('slash', { name, options }) });

follow({
  everything({ changes, neighbour }) {
    loadEverything(state, changes);
    byId('neighbour').hidden = !neighbour;
    if (neighbour) byId('neighbour').href = neighbour;
    notice();
    readAddress();
    draw();
    byId('app').removeAttribute('aria-busy');
  },
  change(change) {
    applyChange(state, change);
    const { interaction } = change;
    if (interaction?.answered === 9 && interaction.user === shown.person)
      openForm(state, interaction, shown.person, report);
    drawSoon();
  },
  lost: () => notice('The connection to this machine is lost. Trying again…'),
});

/** The address is `#person/channel`. */
function readAddress() {
  const [name, channel] = decodeURIComponent(location.hash.slice(1)).split('/');
  shown.person = (state.users.find((user) => user.name === name) ?? state.users[0])?.id ?? '';
  const mine = channelsFor(state, shown.person).filter(({ type }) => type !== 15);
  shown.channel = (mine.find(({ id }) => id === channel) ?? mine[0])?.id ?? '';
}

function go(to) {
  const { person, channel } = { ...shown, ...to };
  location.hash = `#${state.users.find(({ id }) => id === person)?.name ?? ''}/${channel}`;
}

addEventListener('hashchange', () => {
  readAddress();
  Object.assign(shown, { editing: undefined, replying: undefined });
  slash.close();
  draw();
});

let drawing = false;
let held = false;
addEventListener('pointerdown', () => (held = true));
for (const name of ['pointerup', 'pointercancel'])
  addEventListener(name, () => {
    held = false;
    setTimeout(drawSoon);
  });

function drawSoon() {
  // What is under the pointer, or open, must stay as it is.
  if (drawing || held || document.activeElement?.tagName === 'SELECT') return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw();
  });
}

function draw() {
  drawPlaces({ state, shown, go, openDm, post });
  const channel = state.channels.get(shown.channel);
  if (!channel) return;
  byId('team').textContent = state.guilds.get(channel.guild)?.name ?? 'Direct messages';
  byId('channel-title').textContent =
    `${channel.recipient ? '@' : channel.parent ? '⤷ ' : '#'}${nameOf(state, channel)}`;
  byId('channel-note').textContent = noteOf(channel);
  drafts.show(`${shown.person}/${shown.channel}`);
  const entries = messagesFor(state, shown.channel, shown.person).map((message) => ({
    message,
    sign: [
      shown.editing === message.id,
      state.channels.get(message.id),
      state.messages.get(message.id)?.size,
      state.commands.get('global'),
      ...message.files.map((id) => state.files.get(id)),
    ],
    view: () =>
      messageView(state, message, { person: shown.person, editing: shown.editing === message.id, act }),
  }));
  drawLog(byId('log'), `${shown.person}/${shown.channel}`, [...entries, ...unconfirmed()], () =>
    element(
      'section',
      { class: 'welcome' },
      element('h3', {}, 'Nothing was said here yet'),
      element('p', { class: 'faint' }, 'Type / and choose a command, or write a message.'),
    ),
  );
  const typing = (state.typing.get(shown.channel) ?? 0) > Date.now();
  byId('typing').textContent = typing ? `${authorOf(state, state.bot.id).realName} is typing…` : '';
  const answered = shown.replying && inChannel(state, shown.channel).get(shown.replying);
  byId('replying').hidden = !answered;
  if (answered)
    byId('replying').textContent = `Replying to ${authorOf(state, answered.author).realName} (Esc ends it)`;
}

function noteOf(channel) {
  if (channel.recipient) return 'Only you and the bot';
  if (state.guilds.get(channel.guild)?.installed === false)
    return 'The bot is not in this server: you use it as an app of your own';
  if (channel.parent) return channel.locked ? 'This thread is locked' : 'A thread';
  return 'Type / for commands, or mention @parley';
}

/** Tells of an app that did not answer as it should. */
function report(outcome) {
  if (outcome?.acknowledged === false)
    notice(
      `⚠ The application did not respond (${outcome.reason.replace('_', ' ')}${outcome.detail ? `: ${JSON.stringify(outcome.detail)}` : ''})`,
      15_000,
    );
}

async function command(action, body) {
  const outcome = await ask(action, { user: shown.person, channel: shown.channel, ...body });
  report(outcome);
  return outcome !== undefined;
}

const outbox = createOutbox(drawSoon);
const drafts = createDrafts(byId('composer'));
const send = createSend({ shown, outbox, drafts, sent: () => act.reply(undefined) });

/** What this person has sent to the channel and nobody has confirmed yet. */
function unconfirmed() {
  const arrived = new Set([...inChannel(state, shown.channel).values()].map(({ nonce }) => nonce));
  return outbox.entries(shown.person, authorOf(state, shown.person), shown.channel, (id) =>
    arrived.has(nonceOf(id)),
  );
}

const act = {
  open: (channel) => go({ channel }),
  press: (message, customId, values) => void command('press', { message: message.id, customId, values }),
  menu: (message, name) => void command('menu', { message: message.id, name }),
  react: (message, emoji, on) => void ask('react', { user: shown.person, message: message.id, emoji, on }),
  remove: (message) => void ask('remove', { user: shown.person, message: message.id }),
  reply(message) {
    shown.replying = message?.id;
    if (message) byId('composer-text').focus();
    draw();
  },
  edit(message) {
    shown.editing = message?.id;
    draw();
  },
  async save(message, text) {
    if (text !== '' && !(await ask('edit', { user: shown.person, message: message.id, text }))) return;
    act.edit(undefined);
  },
  async thread(message) {
    const made = await ask('thread', {
      user: shown.person,
      on: message.id,
      name: message.content.slice(0, 90) || 'Thread',
    });
    if (made) go({ channel: made.id });
  },
};

async function openDm() {
  const made = await ask('dm', { user: shown.person });
  if (made) go({ channel: made.id });
}

async function post(forum) {
  const words = byId('composer-text').value.trim();
  if (words === '')
    return notice('Write the first message of the post below, then press the forum again.', 8_000);
  const made = await ask('thread', { user: shown.person, on: forum, name: words.slice(0, 90), text: words });
  if (!made) return undefined;
  byId('composer-text').value = '';
  go({ channel: made.id });
  return undefined;
}

startComposers(
  [byId('composer')],
  () => state.bot.name,
  (form) => (slash.offer(byId('composer-text').value.trim()) ? slash.first() : send(form)),
);
startTheme(byId('theme'));
followEnd(byId('log'));
byId('composer-text').addEventListener('input', ({ target }) => slash.offer(target.value));
byId('composer')
  .querySelector('[data-slash]')
  .addEventListener('click', () => {
    byId('composer-text').value = '/';
    byId('composer-text').focus();
    slash.offer('/');
  });
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  slash.close();
  act.reply(undefined);
});
setInterval(drawSoon, 3_000);
