-- JSON of the link in the main tree when it was proposed to add or remove it, `null` where there was none. NULL: not known.
ALTER TABLE link_proposal ADD COLUMN base text;
