import type { Attachment, MessageId } from '../domain/index.ts';
import type { Locale, TextMessage } from '../i18n/index.ts';
import type { Tool } from '../upstream/index.ts';

/** A picture of the thread, and the message that holds it. */
export type SeenPicture = { readonly picture: Attachment; readonly message: MessageId };

/** Something that the model may have done while it answers. */
export type ChatTool = {
  readonly definition: Tool;
  /** Reads the arguments and says what they come to, to people in their language. Throws ToolError when they will not do. */
  readonly prepare: (args: Readonly<Record<string, unknown>>, locale: Locale) => PreparedCall;
};

export type PreparedCall = {
  /** What is being done, for people. */
  readonly title: string;
  /** The same after the name of the bot: "is reading on…". */
  readonly status: TextMessage;
  /** May reject with ToolError; any other rejection is a fault that nobody is told the details of. */
  readonly run: (signal: AbortSignal) => Promise<ToolResult>;
};

/** What came of a call: for the model, and in short for people. */
export type ToolResult = { readonly content: string; readonly summary: string };

/** A tool could not do what was asked. The message is told to the model; `shown` to people, in their language. */
export class ToolError extends Error {
  override readonly name = 'ToolFailed';
  readonly shown: string | undefined;
  constructor(message: string, shown?: string) {
    super(message);
    this.shown = shown;
  }
}
