/** A count as a list shows it, by Word's name of the form; an unknown form gives plain digits. */
export function numberText(count: number, form: string): string {
  switch (form) {
    case 'none':
      return '';
    case 'decimalZero':
      return String(count).padStart(2, '0');
    case 'upperLetter':
      return letters(count, 65);
    case 'lowerLetter':
      return letters(count, 97);
    case 'upperRoman':
      return roman(count);
    case 'lowerRoman':
      return roman(count).toLowerCase();
    case 'ordinal':
      return ordinal(count);
    case 'decimalEnclosedCircle':
    case 'decimalEnclosedCircleChinese':
      return count >= 1 && count <= 20 ? String.fromCodePoint(0x245f + count) : `(${count})`;
    case 'decimalFullWidth':
    case 'decimalFullWidth2':
      return String(count).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    case 'aiueo':
    case 'aiueoFullWidth':
      return [...kana][(count - 1) % kana.length] ?? String(count);
    case 'iroha':
    case 'irohaFullWidth':
      return [...iroha][(count - 1) % iroha.length] ?? String(count);
    case 'ideographDigital':
    case 'japaneseDigitalTenThousand':
      return String(count).replace(/\d/g, (digit) => ideographs[Number(digit)] ?? digit);
    case 'japaneseCounting':
    case 'chineseCounting':
    case 'chineseCountingThousand':
    case 'taiwaneseCounting':
    case 'taiwaneseCountingThousand':
      return counted(count);
    default:
      return String(count);
  }
}

const kana = 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン';
const iroha = 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン';
const ideographs = '〇一二三四五六七八九';

/** A to Z, then AA to ZZ: the letter twice, as Word counts. */
function letters(count: number, first: number): string {
  const times = Math.min(Math.ceil(count / 26), 30);
  return count < 1 ? '' : String.fromCodePoint(first + ((count - 1) % 26)).repeat(times);
}

const romans: [number, string][] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function roman(count: number): string {
  if (count < 1 || count > 9999) return String(count);
  let rest = count;
  let text = '';
  for (const [value, sign] of romans) {
    text += sign.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return text;
}

function ordinal(count: number): string {
  const tens = count % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
}

/** 21 is two tens and one. */
function counted(count: number): string {
  if (count < 1 || count > 9999) return String(count);
  const parts = [...String(count)].map((digit, index, all) => {
    const unit = ['', '十', '百', '千'][all.length - 1 - index] ?? '';
    if (digit === '0') return '';
    return digit === '1' && unit !== '' ? unit : `${ideographs[Number(digit)]}${unit}`;
  });
  return parts.join('');
}
