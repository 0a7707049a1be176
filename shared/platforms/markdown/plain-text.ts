/**
 * Invisible characters that can reorder, hide or smuggle text: controls except tab and line feed, soft hyphens, zero-width
 * spaces, marks and overrides of the writing direction, invisible operators, byte order marks, tags.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- removes control characters
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

const JOINERS = /[\u200c\u200d]/;

/** Removes invisible characters from a stream. The results of the chunks, joined, equal the result of the whole text. */
export class InvisibleCharacterFilter {
  #half = '';
  #last = 0;

  feed(chunk: string): string {
    const text = this.#half + chunk;
    const code = text.charCodeAt(text.length - 1);
    this.#half = code >= 0xd800 && code <= 0xdbff ? text.slice(-1) : '';
    return this.#clean(this.#half ? text.slice(0, -1) : text);
  }

  end(): string {
    const rest = this.#half;
    this.#half = '';
    return this.#clean(rest);
  }

  #clean(text: string): string {
    let visible = text.toWellFormed().replace(INVISIBLE, '');
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
