import { isJson, type Json, stringOf } from './state.ts';
import { hashOf } from './ticks.ts';

/** A clickable element of a block with its position: a button, an accessory, feedback buttons. */
export type Pressable = {
  readonly block: number;
  readonly element: number;
  readonly blockId: string;
  readonly json: Json;
};

/**
 * Blocks as Slack returns them: each with a `block_id`, each button with an `action_id`, generated where the app gave
 * none.
 */
export function presentBlocks(blocks: readonly Json[], seed: string): Json[] {
  return blocks.map((block, index) => {
    const json: Json = { ...block };
    json['block_id'] = namedId(block['block_id']) ?? hashOf(`${seed}/${index}`, 5);
    if (Array.isArray(block['elements']) && INTERACTIVE.has(stringOf(block['type'])))
      json['elements'] = block['elements'].map((one, nth) => withActionId(one, `${seed}/${index}/${nth}`));
    if (isJson(block['element'])) json['element'] = withActionId(block['element'], `${seed}/${index}/0`);
    if (isJson(block['accessory']))
      json['accessory'] = withActionId(block['accessory'], `${seed}/${index}/0`);
    return json;
  });
}

const INTERACTIVE = new Set(['actions', 'context_actions']);

/** All clickable elements of these blocks. */
export function pressable(blocks: readonly Json[]): Pressable[] {
  return blocks.flatMap((block, index) => {
    const blockId = stringOf(block['block_id']);
    const elements = INTERACTIVE.has(stringOf(block['type'])) ? block['elements'] : [block['accessory']];
    return (Array.isArray(elements) ? elements : []).flatMap((json, element) =>
      isJson(json) && PRESSED.has(stringOf(json['type'])) ? [{ block: index, element, json, blockId }] : [],
    );
  });
}

const PRESSED = new Set(['button', 'feedback_buttons', 'icon_button', 'static_select']);

function withActionId(element: unknown, seed: string): Json {
  if (!isJson(element)) return {};
  return element['type'] === 'image'
    ? element
    : { ...element, action_id: namedId(element['action_id']) ?? hashOf(seed, 5) };
}

const namedId = (id: unknown): string | undefined => (typeof id === 'string' && id !== '' ? id : undefined);
