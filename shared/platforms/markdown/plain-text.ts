/**
 * Invisible characters that can reorder, hide or smuggle text: controls except tab and line feed, soft hyphens, zero-width
 * spaces, marks and overrides of the writing direction, invisible operators, byte order marks, tags.
 * Those of flags stay.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- removes control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** Invisible characters between lines and pages. Removed, they would make one word of two. */
const SEPARATORS = /[\v\f\u0085\u2028\u2029]/g;

/** The flags of England, Scotland and Wales: a black flag, and the region in tags. */
const FLAGS = ['gbeng', 'gbsct', 'gbwls'].map((region) => {
  const tags = Array.from(region, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)));
  return `\u{1f3f4}${tags.join('')}\u{e007f}`;
});
const INVISIBLE_OR_FLAG = new RegExp(`(${FLAGS.join('|')})|${INVISIBLE.source}`, 'g');

/** How much of the end of a text may be the beginning of a flag or of a surrogate pair. */
function countUnfinished(text: string): number {
  const flag = text.slice(text.lastIndexOf('\u{1f3f4}'));
  if (FLAGS.some((one) => one !== flag && one.startsWith(flag))) return flag.length;
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? 1 : 0;
}

const JOINERS = /[\u200c\u200d]/;

/** Removes invisible characters from a stream. The results of the chunks, joined, equal the result of the whole text. */
export class InvisibleCharacterFilter {
  #unfinished = '';
  #last = 0;

  feed(chunk: string): string {
    const text = this.#unfinished + chunk;
    const end = text.length - countUnfinished(text);
    this.#unfinished = text.slice(end);
    return this.#clean(text.slice(0, end));
  }

  end(): string {
    const rest = this.#unfinished;
    this.#unfinished = '';
    return this.#clean(rest);
  }

  #clean(text: string): string {
    let visible = text.toWellFormed().replace(SEPARATORS, ' ').replace(INVISIBLE_OR_FLAG, '$1');
    if (JOINERS.test(visible)) visible = this.#withoutLooseJoiners(visible);
    if (visible) this.#last = visible.charCodeAt(visible.length - 1);
    return visible;
  }

  /** Joiners have a meaning in emoji and in many scripts, but not after a Latin letter or another joiner. */
  #withoutLooseJoiners(text: string): string {
    let out = '';
    let last = this.#last;
    for (const unit of text) {
      const isJoiner = JOINERS.test(unit);
      if (isJoiner && (last < 0x80 || last === 0x200c || last === 0x200d)) continue;
      out += unit;
      last = unit.charCodeAt(unit.length - 1);
    }
    return out;
  }
}

/** Puts a space into the control sequences of messages, such as `<!channel>` and `<@U…>`. */
export function withoutCommands(text: string): string {
  return text.replace(/<(?=!(?:channel|group|here|everyone|subteam|date)|[@#][!&]?\w)/gi, '< ');
}

/**
 * Removes invisible characters and breaks control sequences. For places where a platform shows no Markdown, such as labels of
 * buttons: there a link has no address that it could hide, and everything else is shown as written.
 */
export function sanitizePlainText(text: string): string {
  const filter = new InvisibleCharacterFilter();
  return withoutCommands(filter.feed(text) + filter.end());
}
