import { inChannel, momentOf, typedAgain } from './discord-state.js';
import { element } from './dom.js';
import { fill } from './log.js';
import { timeView } from './moment.js';
import { ask } from './notice.js';
import { authorOf, avatar } from './people.js';

const byId = (id) => document.getElementById(id);

/** Shows the posts of a forum, the one with the newest message first, and lets a person write one. */
export function drawForum(state, forum, { person, unread, go }) {
  const posts = [...state.channels.values()]
    .filter(({ parent }) => parent === forum.id)
    .map((post) => ({ post, messages: [...inChannel(state, post.id).values()] }))
    .toSorted((a, b) => (BigInt(lastOf(b)) > BigInt(lastOf(a)) ? 1 : -1));
  const open = (channel) => go({ channel });
  const write = element(
    'button',
    { type: 'button', class: 'send', 'data-key': 'new', onclick: () => openNewPost(forum, { person, go }) },
    'New post',
  );
  const none = element(
    'p',
    { class: 'faint', 'data-key': 'none' },
    'Nobody has written a post here yet. A post is a thread of its own: mention @parley in it to ask.',
  );
  fill(byId('forum'), [
    element('div', { class: 'forum-head', 'data-key': 'head' }, write),
    posts.length === 0
      ? none
      : element(
          'ul',
          { class: 'posts', 'data-key': 'posts' },
          ...posts.map((one) => postView(state, one, { isNews: unread.has(person, one.post.id), open })),
        ),
  ]);
}

/** The id of what was said last, which grows with time. */
const lastOf = ({ post, messages }) => messages.at(-1)?.id ?? post.id;

function postView(state, { post, messages }, { isNews, open }) {
  const author = authorOf(state, post.owner);
  const [first, ...replies] = messages;
  const words = typedAgain(state, first?.content ?? '')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 160);
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
  return element(
    'li',
    { 'data-key': post.id },
    element(
      'button',
      { type: 'button', class: isNews ? 'post fresh' : 'post', onclick: () => open(post.id) },
      avatar(author),
      element(
        'span',
        { class: 'post-words' },
        element('b', {}, post.name),
        element('span', { class: 'faint' }, `${author.realName}: ${words || 'a file'}`),
        element(
          'span',
          { class: 'faint' },
          `${count} · last `,
          timeView(new Date(momentOf(lastOf({ post, messages })))),
          isNews ? element('span', { class: 'hidden' }, ' (unread)') : undefined,
        ),
      ),
    ),
  );
}

const field = (label, input) =>
  element('label', { class: 'field' }, element('span', {}, `${label} *`), input);

/** The form for a post: a title, and its first message. */
function openNewPost(forum, { person, go }) {
  const dialog = byId('form');
  const send = async (event) => {
    event.preventDefault();
    const { name, text } = Object.fromEntries(new FormData(event.currentTarget));
    const answer = await ask('thread', { user: person, on: forum.id, name, text });
    if (!answer) return;
    dialog.close();
    go({ channel: answer.id });
  };
  dialog.replaceChildren(
    element(
      'form',
      { onsubmit: (event) => void send(event) },
      element('h2', { id: 'form-title' }, `New post in ${forum.name}`),
      // As long as Discord lets the name of a thread and a message be.
      field(
        'Title',
        element('input', { name: 'name', required: true, maxlength: '100', autocomplete: 'off' }),
      ),
      field('Message', element('textarea', { name: 'text', required: true, maxlength: '2000', rows: '5' })),
      element(
        'div',
        { class: 'buttons' },
        element('button', { type: 'submit', class: 'send' }, 'Post'),
        element('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
      ),
    ),
  );
  dialog.showModal();
}
