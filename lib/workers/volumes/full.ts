/** The words in which storage drivers report that they have no room. */
export const STORAGE_FULL =
  /ResourceExhausted|no space left|not enough (?:free )?(?:space|capacity)|insufficient (?:free )?(?:space|capacity)/i;
