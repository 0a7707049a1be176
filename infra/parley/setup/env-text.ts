/** A line that sets a variable, as dotenv reads it. */
const VARIABLE_LINE = /^\s*(?:export\s+)?([\w.-]+)\s*=/;

/**
 * Sets variables in the text of an `.env` file. Keeps comments, blank lines, other variables and the order of lines. Of
 * several lines with the same name the last one counts for dotenv, so that one is changed. New variables come at the end.
 */
export function setVariables(text: string, values: Readonly<Record<string, string>>): string {
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
  const added: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const line = `${name}=${quote(value)}`;
    const index = lines.findLastIndex((one) => VARIABLE_LINE.exec(one)?.[1] === name);
    if (index < 0) added.push(line);
    else lines[index] = line;
  }
  return `${[...lines, ...added].join('\n')}\n`;
}

/** Quotes a value that dotenv would read differently. Throws RangeError for a value that no form can hold. */
function quote(value: string): string {
  if (/^[^\s#'"`\\]*$/.test(value)) return value;
  // Between double quotes, dotenv turns \n into a line break.
  const marks = value.includes('\\') ? ["'", '`'] : ["'", '"', '`'];
  const mark = marks.find((one) => !value.includes(one));
  if (mark === undefined || /[\r\n]/.test(value))
    throw new RangeError('A value with line breaks or with all kinds of quotes cannot be written to .env.');
  return mark + value + mark;
}
