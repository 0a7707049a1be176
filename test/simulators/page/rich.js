import { element, outside } from './dom.js';
import { authorOf } from './people.js';

/** Slack's `rich_text`: what its own message box makes, and what table cells and task cards hold. */
export function richView(state, block) {
  return (block?.elements ?? []).map((part) => {
    switch (part.type) {
      case 'rich_text_list':
        return element(
          part.style === 'ordered' ? 'ol' : 'ul',
          {},
          ...(part.elements ?? []).map((item) => element('li', {}, ...line(state, item.elements))),
        );
      case 'rich_text_preformatted':
        return element('pre', { tabindex: '0' }, element('code', {}, ...line(state, part.elements)));
      case 'rich_text_quote':
        return element('blockquote', {}, element('p', {}, ...line(state, part.elements)));
      default:
        return element('p', {}, ...line(state, part.elements));
    }
  });
}

const line = (state, parts) => (parts ?? []).map((part) => styled(part.style, piece(state, part)));

function piece(state, part) {
  switch (part.type) {
    case 'link':
      return outside(part.url, String(part.text ?? part.url));
    case 'user':
      return element('span', { class: 'mention-mark' }, `@${authorOf(state, part.user_id).name}`);
    case 'channel':
      return element(
        'span',
        { class: 'mention-mark' },
        `#${state.channels.get(part.channel_id)?.name ?? ''}`,
      );
    case 'broadcast':
      return element('span', { class: 'mention-mark' }, `@${part.range}`);
    case 'emoji':
      return emojiOf(part);
    default:
      return String(part.text ?? part.fallback ?? '');
  }
}

function emojiOf({ unicode, name }) {
  const codes = String(unicode ?? '')
    .split('-')
    .map((code) => Number.parseInt(code, 16));
  return codes.every((code) => code > 0 && code <= 0x10ffff) ? String.fromCodePoint(...codes) : `:${name}:`;
}

function styled(style, child) {
  const tags = { bold: 'strong', italic: 'em', strike: 's', code: 'code' };
  return Object.entries(tags).reduce(
    (inner, [name, tag]) => (style?.[name] ? element(tag, {}, inner) : inner),
    child,
  );
}
