import { localize } from '../../i18n/index.ts';
import type { CommandRequest, CommandHandler } from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';
import { proposeFromCommand } from '../forms/propose-on-message.ts';

export const spec = {
  name: 'imagine',
  options: [
    { name: 'prompt', kind: 'text', max: 1_500, required: true, rest: true },
    { name: 'video', kind: 'yes-no' },
  ],
} as const satisfies CommandSpec;

/** Proposes a picture or video from a text. */
export const run: CommandHandler<CommandRequest> = (request, context) => {
  const { options, locale } = request;
  const isVideo = options['video'] === true;
  const job = {
    operation: isVideo ? 'text-to-video' : 'text-to-image',
    prompt: String(options['prompt']),
    opening: localize(locale, isVideo ? 'picture.wanted-video' : 'picture.wanted'),
  } as const;
  return proposeFromCommand(request, job, context);
};

export const texts = {
  name: {
    en: 'imagine',
    de: 'erschaffen',
    fr: 'imaginer',
    es: 'imaginar',
    pt: 'imaginar',
    ja: '画像生成',
    ko: '이미지생성',
    zh: '生成图片',
  },
  about: {
    en: 'Make a picture or a short video from words; the price is shown first',
    de: 'Aus Worten ein Bild oder kurzes Video erstellen; der Preis wird vorher gezeigt',
    fr: 'Créer une image ou une courte vidéo à partir de mots ; le prix est affiché d’abord',
    es: 'Crear una imagen o un vídeo corto con palabras; antes se muestra el precio',
    pt: 'Criar uma imagem ou um vídeo curto com palavras; o preço aparece antes',
    ja: '言葉から画像や短い動画を作る（先に料金を表示）',
    ko: '글로 이미지나 짧은 동영상 만들기. 가격을 먼저 표시',
    zh: '用文字生成图片或短视频；先显示费用',
  },
  'prompt.name': {
    en: 'prompt',
    de: 'beschreibung',
    fr: 'description',
    es: 'descripción',
    pt: 'descrição',
    ja: '説明',
    ko: '설명',
    zh: '描述',
  },
  'prompt.about': {
    en: 'What it should show',
    de: 'Was zu sehen sein soll',
    fr: 'Ce qu’on doit y voir',
    es: 'Qué debe mostrar',
    pt: 'O que deve mostrar',
    ja: '何を描くか',
    ko: '무엇을 보여 줄지',
    zh: '要展示的内容',
  },
  'video.name': {
    en: 'video',
    de: 'video',
    fr: 'vidéo',
    es: 'video',
    pt: 'vídeo',
    ja: '動画',
    ko: '동영상',
    zh: '视频',
  },
  'video.about': {
    en: 'Make a video instead of a picture',
    de: 'Ein Video statt eines Bildes erstellen',
    fr: 'Créer une vidéo au lieu d’une image',
    es: 'Crear un vídeo en lugar de una imagen',
    pt: 'Criar um vídeo em vez de uma imagem',
    ja: '画像の代わりに動画を作る',
    ko: '이미지 대신 동영상 만들기',
    zh: '生成视频而不是图片',
  },
} satisfies TextsOf<typeof spec>;
