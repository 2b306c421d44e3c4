/* field_words -- which words in the name of a field say what about it.
 *
 * lint: table. One row per trait; a word may stand in several rows. Words are lower case, singular and one
 * token long: ag_field_name_of() cuts "unitPrices" into "unit" and "price" before it looks here, and looks
 * for a name as a whole too, so "firstname" is worth a place. A word belongs in a row only when the trait
 * is true of it in nearly every data set: each row silences or arms checks. */
#include "audit/field_name.h"

static const ag_trait_words
	rows
		[] = {
			/* identifiers: arithmetic on them means nothing */
			{ AG_TRAIT_ID,
	                  "account accountid acct apartment apt asin barcode batch bic bin block build "
	                  "building card cas cell cellphone center centre chainid checksum kostenstelle code cursor cusip customerid "
	                  "deviceid digest doi ean etag ext extension externalid fax fingerprint flight "
	                  "floor gate gtin guid hash hex hscode iban iccid id ids idx imei imsi index "
	                  "invoice ip ipaddress isbn isin issn itemid key lei licence license lineno lot "
	                  "mac mobile model msisdn naics nin no nonce npi nr number offset oid orderid page "
	                  "parentid partition passport phone phonenumber pid pin plate plz port position "
	                  "postal postcode productid rank ref reference revision room route rowid rownum "
	                  "seat sensorid seq sequence serial sessionid sha shard sic sin sku sort ssn suite "
	                  "swift taxid tel telephone ticker tid token tracking transactionid tx txid uid "
	                  "upc userid uuid ver version vin year zip zipcode zipplus telefon telefono teléfono telefone telefoon téléphone telefonnummer mobil móvil movil celular cellulare telefax cap postnr postnummer postleitzahl" },
			/* may be the key of a document */
			{ AG_TRAIT_KEY,
	                  "asin barcode code customerid doi ean email gtin guid iban id imei isbn key mail "
	                  "no nr number orderid passport productid serial sku ssn "
	                  "transactionid uid upc userid username uuid vin slug" },
			/* with an identifier: the key of something else */
			{ AG_TRAIT_FOREIGN,
	                  "account agent airline airport album approver area artist assignee author bank "
	                  "basket batch bic billing booking branch brand buyer campaign card cart category "
	                  "causation cell channel chat city class client color colour company contact "
	                  "conversation correlation cost country coupon course currency customer dealer "
	                  "department dept device diagnosis discount doctor driver error event exit ext "
	                  "external fax flight from gate group host house hs http icd industry invoice job "
	                  "lang language linked locale location lot machine manager manufacturer merged "
	                  "message mobile model naics next node order original owner parent patient payment "
	                  "phone plan postal postcode previous procedure process project promo publisher "
	                  "reason recipient referral referrer region related replaced reporter request "
	                  "response role room routing seller sender sensor server session shipping shop sic "
	                  "site size sort source span state station status store street student subject "
	                  "supplier swift tariff task tax teacher team tenant thread to trace tracking trip "
	                  "type unit user vehicle vendor visit visitor voucher warehouse zip zipcode product item article listing" },
			{ AG_TRAIT_ZIP,
	                  "plz postal postcode zip zipcode cap postleitzahl postnr postnummer" },
			{ AG_TRAIT_PHONE,
	                  "cell cellphone fax mobile msisdn phone phonenumber tel telephone telefon telefono teléfono telefone telefoon téléphone telefonnummer mobil móvil movil portable celular cellulare telefax" },
			{ AG_TRAIT_MONEY,
	                  "amount amt balance bonus budget charge cost credit debit deposit discount "
	                  "earnings expense fare fee grandtotal gross income loan msrp net paid payment "
	                  "premium price principal profit refund rent revenue salary spend subtotal tax tip "
	                  "toll total totalprice turnover unitprice vat wage betrag preis kosten gebühr beitrag umsatz gehalt lohn miete rabatt mwst brutto netto montant prix cotisation tarif loyer salaire remise importe precio costo coste monto cuota alquiler salario importo prezzo imponibile stipendio preço bedrag prijs kwota cena pris belopp" },
			/* number of things: whole, not negative */
			{ AG_TRAIT_COUNT,
	                  "attempt bathroom bedroom click cnt count download employee follower guest "
	                  "impression like pageview population purchase qty quantity retry seat view visit "
	                  "vote watcher night byte seat room page passenger resident attendance packet" },
			/* physical sizes: not negative */
			{ AG_TRAIT_MEASURE,
	                  "age area capacity distance duration height latency length mass mileage runtime "
	                  "size speed volume weight width odometer" },
			/* must be a number, even if all of them are text */
			{ AG_TRAIT_NUMERIC,
	                  "age amount amt balance budget cost count distance duration fee height humidity "
	                  "income lat latency latitude length lng lon longitude paid pct percent percentage "
	                  "pressure price qty quantity revenue salary score subtotal tax temperature total "
	                  "totalprice unitprice wage weight width" },
			/* a minus sign is natural */
			{ AG_TRAIT_SIGNED,
	                  "accel acceleration adjustment altitude angle anomaly balance bias cashflow "
	                  "change charge coef coefficient compared correction correlation credit current "
	                  "debit deficit degree delta deviation diff difference direction discount "
	                  "discrepancy drift dx dy dz elevation error flow gain gradient growth gyro lag "
	                  "lat latitude lng log lon longitude loss margin movement net offset pitch pnl "
	                  "polarity position profit refund relative residual return returns roll rotation "
	                  "sentiment shift skew slope surplus temp temperature tilt transaction trend txn "
	                  "variance velocity voltage vote vs x y yaw yield z zscore saldo rabatt remise descuento sconto korting gutschrift avoir rabat solde tmin tmax tavg tmean delay lateness exitcode verspätung retard retraso temperatur température temperatura abweichung differenz korrektur écart variation variación diferencia" },
			{ AG_TRAIT_PERCENT, "pct percent percentage" },
			{ AG_TRAIT_AGE, "age" },
			{ AG_TRAIT_LAT, "lat latitude" },
			{ AG_TRAIT_LON, "lng lon longitude" },
			{ AG_TRAIT_RATING, "rating star" },
			/* dates of things that have happened */
			{ AG_TRAIT_PAST,
	                  "birth birthdate birthday born captured collected created createdat creation dob "
	                  "imported ingested inserted joined logged login measured modification modified "
	                  "observation observed occurred order orderdate ordered paid purchase purchased "
	                  "received recorded registered registration reported sampled signup sold submitted "
	                  "timestamp updated updatedat uploaded" },
			/* dates that may lie ahead */
			{ AG_TRAIT_FUTURE,
	                  "appointment arrival arrive availability available booking checkin checkout close "
	                  "closing contract deadline deliver delivery depart departure due effective "
	                  "eligible end ending ends estimated eta event expect expected expiration expire "
	                  "expiry finish forecast from maturity next plan planned promised publish "
	                  "published purge release remind reminder renew renewal reservation retention "
	                  "schedule scheduled ship shipment shipping start starting starts subscription "
	                  "target to travel trial trip until valid warranty ablauf ablaufdatum bis frist fällig fälligkeit gültig lieferdatum liefertermin termin garantie wartung échéance prochain prochaine livraison limite validité vencimiento caducidad entrega plazo hasta validez scadenza consegna vervaldatum leverdatum" },
			/* 9999-12-31 stands for "no end" here */
			{ AG_TRAIT_OPENEND,
	                  "due end ends expiration expire expiry termination through thru to until valid" },
			{ AG_TRAIT_BIRTH,
	                  "birth birthdate birthday born dob geburtsdatum geboren geburtstag naissance nacimiento nascita nascimento geboortedatum född urodzenia" },
			/* dates that may be very old */
			{ AG_TRAIT_HISTORIC,
	                  "built composed death died discovered era established event founded historic "
	                  "historical history inception painted" },
			/* names of persons: "Null" is one */
			{ AG_TRAIT_PERSON,
	                  "actor artist attendee author composer contact customer director doctor driver "
	                  "employee familyname firstname forename fullname givenname guest lastname maiden "
	                  "manager middlename nickname owner passenger patient person player recipient "
	                  "screenname sender singer student surname teacher username writer vorname nachname familienname kunde prénom nom nombre apellido apellidos nome cognome cliente paciente förnamn efternamn voornaam achternaam imię imie nazwisko" },
			/* any name */
			{ AG_TRAIT_NAME,
	                  "familyname firstname forename fullname givenname handle lastname login "
	                  "middlename name nickname screenname surname username" },
			/* written by people for people */
			{ AG_TRAIT_PROSE,
	                  "about abstract answer bio blurb body caption command comment completion content "
	                  "desc description detail excerpt explanation feedback headline html input "
	                  "instruction json line log lyric markdown memo message msg note notes observation "
	                  "output paragraph prompt query question quote raw reason remark review script "
	                  "snippet sql stack stacktrace story subject summary template text title trace xml bemerkung bemerkungen anmerkung hinweis kommentar notiz remarque remarques commentaire observaciones observación comentario comentarios nota osservazioni observação observações comentário opmerking opmerkingen anmärkning uwagi beschreibung descripción descrizione descrição omschrijving beskrivning opis" },
			/* may hold mark-up */
			{ AG_TRAIT_HTML,
	                  "abstract article body content desc description html markdown markup page payload "
	                  "post raw rss snippet summary template text xml" },
			/* often empty by design */
			{ AG_TRAIT_OPTIONAL,
	                  "about accepted activated additional alert alias alt alternate alternative "
	                  "annotation answer apartment approval approved approver apt archived assigned "
	                  "assignee attachment attr attribute avatar badge banned banner bio blocked bonus "
	                  "campaign canceled cancellation cancelled caption carrier cell child children "
	                  "churned clicked closed comment company completed completion confirmed coupon "
	                  "custom death declined default deleted deletion delivered delivery desc "
	                  "description detail died disabled discount due employer end ended err error "
	                  "exception exit expiration expire expired expiry ext external extra facebook "
	                  "fallback fax feedback finished flag fulfilled fulfillment fulfilment gclid gift "
	                  "github hint hobby homepage icon image initial instagram interest invoice "
	                  "invoiced keyword label last legacy link linkedin lock locked logo loyalty maiden "
	                  "manager medium memo meta metadata middle middleinitial middlename mobile next "
	                  "nickname note old opened option optional organisation organization original "
	                  "other override paid parent parentid partner phone photo picture preference "
	                  "preferred prefix prev previous processed promo promotion published read reason "
	                  "ref referer referral referrer refund refunded rejected released remark removed "
	                  "replaced reply resolved response retry return returned review reviewed reviewer "
	                  "salutation scheduled second secondary seen sent ship shipped social spouse stack "
	                  "stacktrace started stop subtitle suffix suite supervisor suspended tag taxid tel "
	                  "telephone terminated termination thru thumbnail tier tip tooltip trace tracking "
	                  "twitter unit unsubscribed until url utm variant vat verified voucher warning "
	                  "website arrived arrival departed departure out left checkout collected redeemed unloaded discharge discharged graduated retired stopped telefon telefono teléfono telefone telefoon téléphone mobil móvil movil portable celular cellulare telefax bemerkung bemerkungen anmerkung hinweis zusatz kommentar notiz titel remarque remarques commentaire complément observaciones observación comentario comentarios osservazioni observação observações comentário opmerking opmerkingen anmärkning uwagi webseite sitio storniert gekündigt annulé résilié anulado cancelado geliefert livré entregado ausgetreten bezahlt gezahlt erledigt abgeschlossen auszug austritt kündigung rückgabe versandt gelöscht ende mahnung mahnstufe fin payé réglé clôture clos sortie expédié départ rabais pagado cobrado cerrado cierre baja salida pagato chiuso uscita betaald gesloten einde betalt slut zakończenie" },
			/* rarely empty by design */
			{ AG_TRAIT_CORE,
	                  "amount created createdat currency date email firstname humidity lastname mail "
	                  "name price qty quantity reading sku status temperature timestamp total username" },
			/* a value whose type depends on its neighbour */
			{ AG_TRAIT_POLY,
	                  "actual after answer any arg argument attr attribute before body cell condition "
	                  "config content context criteria custom data default detail details expected "
	                  "extra field filter from info input key left max meta metadata min new old "
	                  "operand option output param parameter payload prop property raw response result "
	                  "right setting threshold to val value var variable" },
			/* "unknown" and "none" are answers here */
			{ AG_TRAIT_ENUMISH,
	                  "access algorithm alignment allergy auth browser cause certainty channel "
	                  "classification compression condition confidence deployment discount education "
	                  "encryption env environment ethnicity frequency gender insurance kind label "
	                  "layout level marital medium method mode origin os outcome permission phase plan "
	                  "platform policy priority profile protection race reason recurrence relationship "
	                  "religion restriction result role severity sex smoking source stage state status "
	                  "strategy theme tier type visibility warranty weather" },
			/* upper and lower case differ in meaning */
			{ AG_TRAIT_CASE,
	                  "agent allele blood char character chess code codeword comment cookie dir "
	                  "directory endpoint etag file filename filepath folder formula gene genotype "
	                  "grade hash hashtag href id key keyword letter link measure measurement message "
	                  "move mutation nonce notation note passwd password path pattern query regex route "
	                  "search secret sequence session short shortcode sig signature sku slug smiles "
	                  "symbol tag term text title token ua uid unit uom uri url useragent variant" },
			{ AG_TRAIT_TIME,
	                  "at atime birthdate created createdat ctime date datetime day dob epoch hour "
	                  "millis modified month ms mtime quarter time timestamp ts unix unixtime updated "
	                  "updatedat week when year" },
			/* often the same everywhere */
			{ AG_TRAIT_CONST,
	                  "active algorithm api apikind apiversion app application archived can channel "
	                  "class collection country currency database dataset db deleted enabled encoding "
	                  "env environment format has host hostname is kind lang language licence license "
	                  "locale model namespace object platform private protocol provider public "
	                  "published region schema schemaversion service source spec tenant timezone type "
	                  "tz unit uom v valid vendor verified version visible year" },
			/* "NA" is a code here */
			{ AG_TRAIT_REGION,
	                  "abbr abbreviation airport area chemical code continent country currency element "
	                  "formula iata initials iso lang language locale market nationality province "
	                  "region state station symbol ticker" },
			/* arrays that are sets */
			{ AG_TRAIT_SET,
	                  "allergen amenity category feature genre group interest keyword label "
	                  "language permission privilege role scope skill tag topic" },
			/* a zero stands for nothing known */
			{ AG_TRAIT_NONZERO,
	                  "bpm heartrate height mass pressure pulse salary voltage wage weight width year" },
			{ AG_TRAIT_EMAIL,
	                  "email mail epost courriel correo mel correio pec mailadresse mailadress" },
			{ AG_TRAIT_YEAR, "year" },
			/* an age in these is no age in years */
			{ AG_TRAIT_UNITTIME,
	                  "account cache d day h hour m max millisecond min minute month ms sec second ttl "
	                  "week" },
			{ AG_TRAIT_HUMIDITY, "humidity" },
			{ AG_TRAIT_TEMPERATURE, "temp temperature" },
			/* money with many decimals */
			{ AG_TRAIT_RATE,
	                  "average avg btc coin crypto eth exchange factor fx mean rate ratio unit weight" },
			/* digits that are no number */
			{ AG_TRAIT_CODE,
	                  "account code ean id isbn key no nr number phone plz postal postcode ref serial "
	                  "sku ssn upc zip zipcode" },
			/* arrays that are useless when empty */
			{ AG_TRAIT_ITEMS,
	                  "coordinate entry item line lineitem orderitem position product row" },
			/* percentages that may pass 100 */
			{ AG_TRAIT_WORKLOAD,
	                  "attainment capacity change completion core cpu growth increase load markup "
	                  "progress return roi target usage utilisation utilization" },
		};

const ag_trait_words *ag_trait_table(size_t *ret_n)
{
	*ret_n = AG_NELEM(rows);
	return rows;
}
