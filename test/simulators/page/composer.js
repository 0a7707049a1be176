import { startAttaching } from './attach.js';
import { element } from './dom.js';
import { notice } from './notice.js';
import { startVoice } from './voice.js';

const tell = (words) => notice(words, 10_000);

/** Makes the message boxes work: Enter sends, Shift + Enter breaks the line, Tab completes the mention. */
export function startComposers(forms, botName, say) {
  for (const form of forms) {
    const area = form.querySelector('textarea');
    startAttaching(form, tell);
    startVoice(form, document.getElementById('voice'), tell);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      say(form);
    });
    form.querySelector('[data-mention]').addEventListener('click', () => {
      const before = area.value.slice(0, area.selectionStart);
      put(area, `${before === '' || before.endsWith(' ') ? '' : ' '}@${botName()} `);
    });
    area.addEventListener('keydown', (event) => {
      if (event.isComposing || event.shiftKey) return;
      if (event.key === 'Enter') {
        event.preventDefault();
        say(form);
      }
      const prefix = /(?:^|\s)@(\w*)$/.exec(area.value.slice(0, area.selectionStart))?.[1];
      if (event.key === 'Tab' && prefix !== undefined && botName().startsWith(prefix.toLowerCase())) {
        event.preventDefault();
        put(area, `${botName().slice(prefix.length)} `);
      }
    });
  }
}

/** Writes words where the caret is. */
export function put(area, words) {
  area.setRangeText(words, area.selectionStart, area.selectionEnd, 'end');
  area.focus();
}

/** What someone sees who opens the page for the first time. */
export function welcome(area, direct) {
  const ask = (words) =>
    element(
      'button',
      { type: 'button', onclick: () => put(area, direct ? words : `@parley ${words}`) },
      words,
    );
  return element(
    'section',
    { class: 'welcome' },
    element('img', { src: '/page/icon.svg', alt: '', width: '56', height: '56' }),
    element('h3', {}, 'Type a message to @parley'),
    element(
      'ol',
      {},
      element(
        'li',
        {},
        direct ? 'Write your question below.' : 'Press @parley below, write your question, press Enter.',
      ),
      element('li', {}, 'The answer streams into a thread on the right.'),
      element('li', {}, 'Go on there: Parley remembers what was said in the thread.'),
    ),
    element('p', { class: 'faint' }, 'Or start with one of these:'),
    element(
      'div',
      { class: 'buttons' },
      ask('What can you do?'),
      ask('Write a haiku about the sea'),
      ask('Show me a table'),
    ),
  );
}
