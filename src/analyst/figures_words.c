/* figures_words -- the words that say how a figure is meant: English, German, French, Spanish.
 *
 * lint: table. Words are folded: lower case, without accents. To add a language: its rows here, and its bit in ag_fig_cue. */
#include <pthread.h>

#include "analyst/figures_parts.h"
#include "base/utf8.h"

#define NSLOT 4096u /* a power of two, four times the words below */

const char ag_fig_currency[][4] = { "usd", "eur", "gbp", "jpy", "chf", "inr", "brl", "" };

static const struct {
	ag_fig_what what;
	int value;
	unsigned cues;
	const char *words;
} rows[] = {
	/* --- borders and roles --- */
	{ AG_FIG_W_CUE, 0, AG_FIG_BREAK | AG_FIG_STOP | AG_FIG_EN,
	  "and but while whereas with followed plus" },
	{ AG_FIG_W_CUE, 0, AG_FIG_BREAK | AG_FIG_STOP | AG_FIG_DE,
	  "und aber wahrend mit gefolgt sowie" },
	{ AG_FIG_W_CUE, 0, AG_FIG_BREAK | AG_FIG_STOP | AG_FIG_FR,
	  "et mais tandis avec suivi suivie alors" },
	{ AG_FIG_W_CUE, 0, AG_FIG_BREAK | AG_FIG_STOP | AG_FIG_ES,
	  "y pero mientras con seguido seguida" },
	{ AG_FIG_W_CUE, 0, AG_FIG_TOTAL,
	  "total totals totaling totalling overall altogether combined together insgesamt gesamt "
	  "zusammen gesamtsumme ensemble totalisent globalement conjunto juntos juntas totales "
	  "totaux totale" },
	{ AG_FIG_W_CUE, 0, AG_FIG_HIGH | AG_FIG_RANK,
	  "highest peaked peaks topped most largest biggest best top maximum max peak leading greatest strongest hochste hochsten hochster grosste grossten "
	  "meisten beste besten maximal plus eleve elevee maximale meilleur meilleure mayor mas maximo mejor alto alta" },
	{ AG_FIG_W_CUE, 0, AG_FIG_LOW | AG_FIG_RANK,
	  "lowest bottomed least smallest fewest worst minimum min weakest bottom niedrigste niedrigsten kleinste kleinsten wenigsten "
	  "schlechteste minimal moins bas basse minimale menor menos minimo peor bajo baja" },
	{ AG_FIG_W_CUE, 0, AG_FIG_ABOUT,
	  "about around roughly approximately approx circa ca some close near rund etwa ungefahr knapp environ autour "
	  "aproximadamente alrededor unos unas cerca" },
	{ AG_FIG_W_CUE, 0, AG_FIG_OVER,
	  "more mehr over exceeding exceeds exceeded least uber mindestens plus superieur mas superior" },
	{ AG_FIG_W_CUE, 0, AG_FIG_UNDER,
	  "under below nearly almost less fewer unter fast knapp weniger moins inferieur presque menos inferior casi" },
	{ AG_FIG_W_CUE, 0, AG_FIG_DOWN,
	  "fell fall falls falling drop drops dropped dropping decline declines declined declining decrease decreases decreased down "
	  "lower less fewer loss lost losing shrank reduced sank sanken fiel fielen gefallen gesunken ruckgang weniger verlust minus "
	  "baisse baisse baissait recul recule perdu perte diminue diminution moins cayo cae caida bajo disminuyo descenso perdida menos" },
	{ AG_FIG_W_CUE, 0, AG_FIG_UP,
	  "rose rise rises rising grew grow grows growing growth increase increases increased up gain gained higher more climbed jumped "
	  "stieg stiegen gestiegen wuchs zuwachs mehr hausse augmente augmentation progresse croissance subio aumento crecio "
	  "incremento" },
	{ AG_FIG_W_CUE, 0, AG_FIG_OBJECT | AG_FIG_STOP,
	  "than behind relative versus vs ahead beating beats beat compared trails trailed trailing unlike surpassing outperformed als vor hinter "
	  "gegenuber que devant derriere contre comparado detras delante frente" },
	{ AG_FIG_W_CUE, 0, AG_FIG_SPREAD,
	  "across ranged ranging ranges range vary varied varies each every others other rest remaining remainder respectively zwischen "
	  "jeweils ubrigen restlichen anderen entre chaque autres restants cada otros otras restantes between" },
	{ AG_FIG_W_CUE, 0, AG_FIG_RANGE,
	  "ranged ranging ranges range vary varied varies varying between spans spanned zwischen reicht reichen schwankt entre varie varient "
	  "oscila oscilan varia varian" },
	{ AG_FIG_W_CUE, 0, AG_FIG_PRONOUN,
	  "it they he she its their this that sie er es ihre ihr diese il elle ils elles son sa ella ellos esta este" },
	{ AG_FIG_W_CUE, 0, AG_FIG_AVERAGE,
	  "average averaged averages averaging avg mean durchschnitt durchschnittlich durchschnittliche durchschnittlichen "
	  "durchschnittlicher mittel mittelwert moyenne moyen promedio media medio" },
	{ AG_FIG_W_CUE, 0, AG_FIG_YEAR | AG_FIG_STOP | AG_FIG_EN,
	  "in of for since during from until by through year the to between" },
	{ AG_FIG_W_CUE, 0, AG_FIG_YEAR | AG_FIG_STOP | AG_FIG_DE,
	  "im seit bis von jahr jahre fur aus zum zu zur" },
	{ AG_FIG_W_CUE, 0, AG_FIG_YEAR | AG_FIG_STOP | AG_FIG_FR,
	  "de du depuis annee pour jusque au dans" },
	{ AG_FIG_W_CUE, 0, AG_FIG_YEAR | AG_FIG_STOP | AG_FIG_ES,
	  "del desde ano para hasta durante" },
	{ AG_FIG_W_CUE, 0, AG_FIG_YEAR | AG_FIG_STOP | AG_FIG_FR | AG_FIG_ES, "en" },
	{ AG_FIG_W_CUE, 0, AG_FIG_RANK,
	  "came comes finished finishes placed place places rank ranks ranked ranking position platz rang rangiert puesto lugar" },
	{ AG_FIG_W_CUE, 0, AG_FIG_ROWS,
	  "row rows record records result results entry entries line lines zeile zeilen datensatze datensatz ergebnis ergebnisse ligne "
	  "lignes enregistrements resultats resultat fila filas registros resultados" },
	{ AG_FIG_W_CUE, 0, AG_FIG_NUMBERED, "id no nr number num numero nummer code sku ref" },
	{ AG_FIG_W_CUE, 0, AG_FIG_TOP,
	  "top first last best all these listed shown following ersten alle premiers tous toutes primeros primeras todos todas" },
	{ AG_FIG_W_CUE, 0, AG_FIG_STOP | AG_FIG_EN,
	  "these those our we you also only when where each so if then will would can could will than an is was were are had has have it its at on that this there which who as not be been made did each per our their" },
	{ AG_FIG_W_CUE, 0, AG_FIG_STOP | AG_FIG_DE,
	  "davon darunter wobei sind werden sie wir bei beim nach alle auch noch nur der die das den dem des ein eine einen einem einer ist war waren hatte hat haben wurden wurde auf es sich nicht je pro bei "
	  "erzielte kam kamen an" },
	{ AG_FIG_W_CUE, 0, AG_FIG_STOP | AG_FIG_FR,
	  "dont nous vous elle sont ete aussi chez apres sous le les un une est etait ont ete il elle ce cette qui sur par aux ses avait au" },
	{ AG_FIG_W_CUE, 0, AG_FIG_STOP | AG_FIG_ES,
	  "ellos ellas cual cuales esta estan tambien solo entre donde hubo el los las una uno es fue fueron tuvo tiene ha han se lo por al su sus registro" },
	{ AG_FIG_W_CUE, 0, AG_FIG_STOP, "a la l d" },
	/* --- words that only say the language --- */
	{ AG_FIG_W_CUE, 0, AG_FIG_EN,
	  "thousand percent show shows showed saw came comes went took stood stands makes about over under compared between" },
	{ AG_FIG_W_CUE, 0, AG_FIG_DE,
	  "tausend tsd mio prozent verzeichnet damit kommt kommen liegt liegen lag ergibt ergeben entfallen als gegenuber zwischen dagegen "
	  "gab waren keine mehr weniger" },
	{ AG_FIG_W_CUE, 0, AG_FIG_FR,
	  "mille cent eu compte comptent vont contre reviennent affiche plus moins ayant etaient" },
	{ AG_FIG_W_CUE, 0, AG_FIG_ES,
	  "de que mil millones ciento hay suma suman llega llegan mas menos fue eran" },
	/* --- numbers: only in a text of their language ("once", "cent" and "dos" are other words elsewhere) --- */
	{ AG_FIG_W_NUMBER, 0, AG_FIG_EN, "zero" },
	{ AG_FIG_W_NUMBER, 2, AG_FIG_EN, "two" },
	{ AG_FIG_W_NUMBER, 3, AG_FIG_EN, "three" },
	{ AG_FIG_W_NUMBER, 4, AG_FIG_EN, "four" },
	{ AG_FIG_W_NUMBER, 5, AG_FIG_EN, "five" },
	{ AG_FIG_W_NUMBER, 6, AG_FIG_EN, "six" },
	{ AG_FIG_W_NUMBER, 7, AG_FIG_EN, "seven" },
	{ AG_FIG_W_NUMBER, 8, AG_FIG_EN, "eight" },
	{ AG_FIG_W_NUMBER, 9, AG_FIG_EN, "nine" },
	{ AG_FIG_W_NUMBER, 10, AG_FIG_EN, "ten" },
	{ AG_FIG_W_NUMBER, 11, AG_FIG_EN, "eleven" },
	{ AG_FIG_W_NUMBER, 12, AG_FIG_EN, "twelve" },
	{ AG_FIG_W_NUMBER, 13, AG_FIG_EN, "thirteen" },
	{ AG_FIG_W_NUMBER, 14, AG_FIG_EN, "fourteen" },
	{ AG_FIG_W_NUMBER, 15, AG_FIG_EN, "fifteen" },
	{ AG_FIG_W_NUMBER, 16, AG_FIG_EN, "sixteen" },
	{ AG_FIG_W_NUMBER, 17, AG_FIG_EN, "seventeen" },
	{ AG_FIG_W_NUMBER, 18, AG_FIG_EN, "eighteen" },
	{ AG_FIG_W_NUMBER, 19, AG_FIG_EN, "nineteen" },
	{ AG_FIG_W_NUMBER, 20, AG_FIG_EN, "twenty" },
	{ AG_FIG_W_NUMBER, 30, AG_FIG_EN, "thirty" },
	{ AG_FIG_W_NUMBER, 40, AG_FIG_EN, "forty" },
	{ AG_FIG_W_NUMBER, 50, AG_FIG_EN, "fifty" },
	{ AG_FIG_W_NUMBER, 60, AG_FIG_EN, "sixty" },
	{ AG_FIG_W_NUMBER, 70, AG_FIG_EN, "seventy" },
	{ AG_FIG_W_NUMBER, 80, AG_FIG_EN, "eighty" },
	{ AG_FIG_W_NUMBER, 90, AG_FIG_EN, "ninety" },
	{ AG_FIG_W_NUMBER, 2, AG_FIG_DE, "zwei" },
	{ AG_FIG_W_NUMBER, 3, AG_FIG_DE, "drei" },
	{ AG_FIG_W_NUMBER, 4, AG_FIG_DE, "vier" },
	{ AG_FIG_W_NUMBER, 5, AG_FIG_DE, "funf" },
	{ AG_FIG_W_NUMBER, 6, AG_FIG_DE, "sechs" },
	{ AG_FIG_W_NUMBER, 7, AG_FIG_DE, "sieben" },
	{ AG_FIG_W_NUMBER, 8, AG_FIG_DE, "acht" },
	{ AG_FIG_W_NUMBER, 9, AG_FIG_DE, "neun" },
	{ AG_FIG_W_NUMBER, 10, AG_FIG_DE, "zehn" },
	{ AG_FIG_W_NUMBER, 11, AG_FIG_DE, "elf" },
	{ AG_FIG_W_NUMBER, 12, AG_FIG_DE, "zwolf" },
	{ AG_FIG_W_NUMBER, 13, AG_FIG_DE, "dreizehn" },
	{ AG_FIG_W_NUMBER, 14, AG_FIG_DE, "vierzehn" },
	{ AG_FIG_W_NUMBER, 15, AG_FIG_DE, "funfzehn" },
	{ AG_FIG_W_NUMBER, 16, AG_FIG_DE, "sechzehn" },
	{ AG_FIG_W_NUMBER, 17, AG_FIG_DE, "siebzehn" },
	{ AG_FIG_W_NUMBER, 18, AG_FIG_DE, "achtzehn" },
	{ AG_FIG_W_NUMBER, 19, AG_FIG_DE, "neunzehn" },
	{ AG_FIG_W_NUMBER, 20, AG_FIG_DE, "zwanzig" },
	{ AG_FIG_W_NUMBER, 30, AG_FIG_DE, "dreissig" },
	{ AG_FIG_W_NUMBER, 40, AG_FIG_DE, "vierzig" },
	{ AG_FIG_W_NUMBER, 50, AG_FIG_DE, "funfzig" },
	{ AG_FIG_W_NUMBER, 60, AG_FIG_DE, "sechzig" },
	{ AG_FIG_W_NUMBER, 70, AG_FIG_DE, "siebzig" },
	{ AG_FIG_W_NUMBER, 80, AG_FIG_DE, "achtzig" },
	{ AG_FIG_W_NUMBER, 90, AG_FIG_DE, "neunzig" },
	{ AG_FIG_W_NUMBER, 2, AG_FIG_FR, "deux" },
	{ AG_FIG_W_NUMBER, 3, AG_FIG_FR, "trois" },
	{ AG_FIG_W_NUMBER, 4, AG_FIG_FR, "quatre" },
	{ AG_FIG_W_NUMBER, 5, AG_FIG_FR, "cinq" },
	{ AG_FIG_W_NUMBER, 6, AG_FIG_FR, "six" },
	{ AG_FIG_W_NUMBER, 7, AG_FIG_FR, "sept" },
	{ AG_FIG_W_NUMBER, 8, AG_FIG_FR, "huit" },
	{ AG_FIG_W_NUMBER, 9, AG_FIG_FR, "neuf" },
	{ AG_FIG_W_NUMBER, 10, AG_FIG_FR, "dix" },
	{ AG_FIG_W_NUMBER, 11, AG_FIG_FR, "onze" },
	{ AG_FIG_W_NUMBER, 12, AG_FIG_FR, "douze" },
	{ AG_FIG_W_NUMBER, 13, AG_FIG_FR, "treize" },
	{ AG_FIG_W_NUMBER, 14, AG_FIG_FR, "quatorze" },
	{ AG_FIG_W_NUMBER, 15, AG_FIG_FR, "quinze" },
	{ AG_FIG_W_NUMBER, 16, AG_FIG_FR, "seize" },
	{ AG_FIG_W_NUMBER, 20, AG_FIG_FR, "vingt" },
	{ AG_FIG_W_NUMBER, 30, AG_FIG_FR, "trente" },
	{ AG_FIG_W_NUMBER, 40, AG_FIG_FR, "quarante" },
	{ AG_FIG_W_NUMBER, 50, AG_FIG_FR, "cinquante" },
	{ AG_FIG_W_NUMBER, 60, AG_FIG_FR, "soixante" },
	{ AG_FIG_W_NUMBER, 0, AG_FIG_ES, "cero" },
	{ AG_FIG_W_NUMBER, 2, AG_FIG_ES, "dos" },
	{ AG_FIG_W_NUMBER, 3, AG_FIG_ES, "tres" },
	{ AG_FIG_W_NUMBER, 4, AG_FIG_ES, "cuatro" },
	{ AG_FIG_W_NUMBER, 5, AG_FIG_ES, "cinco" },
	{ AG_FIG_W_NUMBER, 6, AG_FIG_ES, "seis" },
	{ AG_FIG_W_NUMBER, 7, AG_FIG_ES, "siete" },
	{ AG_FIG_W_NUMBER, 8, AG_FIG_ES, "ocho" },
	{ AG_FIG_W_NUMBER, 9, AG_FIG_ES, "nueve" },
	{ AG_FIG_W_NUMBER, 10, AG_FIG_ES, "diez" },
	{ AG_FIG_W_NUMBER, 11, AG_FIG_ES, "once" },
	{ AG_FIG_W_NUMBER, 12, AG_FIG_ES, "doce" },
	{ AG_FIG_W_NUMBER, 13, AG_FIG_ES, "trece" },
	{ AG_FIG_W_NUMBER, 14, AG_FIG_ES, "catorce" },
	{ AG_FIG_W_NUMBER, 15, AG_FIG_ES, "quince" },
	{ AG_FIG_W_NUMBER, 16, AG_FIG_ES, "dieciseis" },
	{ AG_FIG_W_NUMBER, 17, AG_FIG_ES, "diecisiete" },
	{ AG_FIG_W_NUMBER, 18, AG_FIG_ES, "dieciocho" },
	{ AG_FIG_W_NUMBER, 19, AG_FIG_ES, "diecinueve" },
	{ AG_FIG_W_NUMBER, 20, AG_FIG_ES, "veinte" },
	{ AG_FIG_W_NUMBER, 30, AG_FIG_ES, "treinta" },
	{ AG_FIG_W_NUMBER, 40, AG_FIG_ES, "cuarenta" },
	{ AG_FIG_W_NUMBER, 50, AG_FIG_ES, "cincuenta" },
	{ AG_FIG_W_NUMBER, 60, AG_FIG_ES, "sesenta" },
	{ AG_FIG_W_NUMBER, 70, AG_FIG_ES, "setenta" },
	{ AG_FIG_W_NUMBER, 80, AG_FIG_ES, "ochenta" },
	{ AG_FIG_W_NUMBER, 90, AG_FIG_ES, "noventa" },
	{ AG_FIG_W_SCALE, 2, 0, "hundred hundert" },
	{ AG_FIG_W_ORDINAL, 1, 0, "first erste erster ersten premier premiere primero primera" },
	{ AG_FIG_W_ORDINAL, 2, 0, "second zweite zweiter zweiten deuxieme segundo segunda" },
	{ AG_FIG_W_ORDINAL, 3, 0, "third dritte dritter dritten troisieme tercero tercera" },
	{ AG_FIG_W_ORDINAL, 4, 0, "fourth vierte vierter vierten quatrieme cuarto cuarta" },
	{ AG_FIG_W_ORDINAL, 5, 0, "fifth funfte funfter funften cinquieme quinto quinta" },
	{ AG_FIG_W_ORDINAL, 6, 0, "sixth sechste sechster sechsten sixieme sexto sexta" },
	{ AG_FIG_W_ORDINAL, 7, 0, "seventh siebte siebter siebten septieme septimo septima" },
	{ AG_FIG_W_ORDINAL, 8, 0, "eighth achte achter achten huitieme octavo octava" },
	{ AG_FIG_W_ORDINAL, 9, 0, "ninth neunte neunter neunten neuvieme noveno novena" },
	{ AG_FIG_W_ORDINAL, 10, 0, "tenth zehnte zehnter zehnten dixieme decimo decima" },
	{ AG_FIG_W_MONTH, 1, 0, "january jan januar janner janvier enero" },
	{ AG_FIG_W_MONTH, 2, 0, "february feb februar fevrier febrero" },
	{ AG_FIG_W_MONTH, 3, 0, "march mar marz mars marzo" },
	{ AG_FIG_W_MONTH, 4, 0, "april apr avril abril" },
	{ AG_FIG_W_MONTH, 5, 0, "may mai mayo" },
	{ AG_FIG_W_MONTH, 6, 0, "june jun juni juin junio" },
	{ AG_FIG_W_MONTH, 7, 0, "july jul juli juillet julio" },
	{ AG_FIG_W_MONTH, 8, 0, "august aug aout agosto" },
	{ AG_FIG_W_MONTH, 9, 0, "september sep sept septembre septiembre" },
	{ AG_FIG_W_MONTH, 10, 0, "october oct oktober okt octobre octubre" },
	{ AG_FIG_W_MONTH, 11, 0, "november nov novembre noviembre" },
	{ AG_FIG_W_MONTH, 12, 0, "december dec dezember dez decembre diciembre" },
	{ AG_FIG_W_SCALE, 3, 0,
	  "k thousand thousands tausend tsd mille mil millier milliers miles" },
	{ AG_FIG_W_SCALE, 6, 0, "m mn mm million millions mio millionen millones millon mill" },
	{ AG_FIG_W_SCALE, 9, 0,
	  "b bn billion billions mrd milliarde milliarden milliard milliards md" },
	{ AG_FIG_W_UNIT, 1, 0, "ms millisecond milliseconds millisekunden" },
	{ AG_FIG_W_UNIT, 2, 0,
	  "s sec secs second seconds sekunde sekunden seconde secondes segundos" },
	{ AG_FIG_W_UNIT, 3, 0, "min mins minute minutes minuten minutos" },
	{ AG_FIG_W_UNIT, 4, 0, "h hr hrs hour hours stunde stunden heure heures hora horas" },
	{ AG_FIG_W_UNIT, 5, 0, "day days tag tage tagen jour jours dia dias" },
	{ AG_FIG_W_UNIT, 6, 0, "week weeks woche wochen semaine semaines semana semanas" },
	{ AG_FIG_W_UNIT, 7, 0, "month months monat monate monaten mois mes meses" },
	{ AG_FIG_W_UNIT, 8, 0, "year years yrs jahre jahren ans annees anos" },
	{ AG_FIG_W_UNIT, 9, 0, "g gram grams gramm grammes gramos" },
	{ AG_FIG_W_UNIT, 10, 0,
	  "kg kilogram kilograms kilo kilos kilogramm kilogrammes kilogramos" },
	{ AG_FIG_W_UNIT, 11, 0, "t ton tons tonne tonnes tonnen toneladas" },
	{ AG_FIG_W_UNIT, 12, 0, "cm centimeters zentimeter" },
	{ AG_FIG_W_UNIT, 13, 0, "m meter meters metre metres metros" },
	{ AG_FIG_W_UNIT, 14, 0, "km kilometer kilometers kilometre kilometres kilometros" },
	{ AG_FIG_W_UNIT, 15, 0, "wh" },
	{ AG_FIG_W_UNIT, 16, 0, "kwh" },
	{ AG_FIG_W_UNIT, 17, 0, "mwh" },
	{ AG_FIG_W_UNIT, 18, 0, "gwh" },
	{ AG_FIG_W_UNIT, 19, 0, "mm millimeter millimeters millimetre millimetres" },
	{ AG_FIG_W_UNIT, 20, 0, "kb kilobyte kilobytes" },
	{ AG_FIG_W_UNIT, 21, 0, "mb megabyte megabytes" },
	{ AG_FIG_W_UNIT, 22, 0, "gb gigabyte gigabytes" },
	{ AG_FIG_W_UNIT, 23, 0, "tb terabyte terabytes" },
	{ AG_FIG_W_UNIT, 24, 0, "kw kilowatt kilowatts" },
	{ AG_FIG_W_UNIT, 25, 0, "mw megawatt megawatts" },
	{ AG_FIG_W_UNIT, 26, 0, "ha hectare hectares hektar hectareas" },
	{ AG_FIG_W_UNIT, 27, 0, "liter liters litre litres litros" },
	{ AG_FIG_W_UNIT, 28, 0, "ml milliliter milliliters millilitres" },
	{ AG_FIG_W_UNIT, 29, 0, "hl hectoliter hectoliters hektoliter" },
	{ AG_FIG_W_MONEY, 0, 0, "usd dollar dollars dolares us$ $" },
	{ AG_FIG_W_MONEY, 1, 0, "eur euro euros" },
	{ AG_FIG_W_MONEY, 2, 0, "gbp pound pounds pfund livres libras" },
	{ AG_FIG_W_MONEY, 3, 0, "jpy yen" },
	{ AG_FIG_W_MONEY, 4, 0, "chf franken" },
	{ AG_FIG_W_MONEY, 5, 0, "inr rupees" },
	{ AG_FIG_W_MONEY, 6, 0, "brl reais" },
	{ AG_FIG_W_PERCENT, 1, 0, "percent pct prozent" },
	{ AG_FIG_W_POINTS, 1, 0, "point points pp pts prozentpunkte prozentpunkten puntos" },
	{ AG_FIG_W_TIMES, 1, 0, "times x fold mal fois veces" },
	/* --- synonyms: value is the group of traits[] --- */
	{ AG_FIG_W_GROUP, 1, 0,
	  "revenue revenues sale sales turnover income proceed proceeds earning earnings earned generated umsatz umsatze umsatzerlose erlos "
	  "erlose einnahmen chiffre ventes vente recettes recette venta ventas ingreso ingresos facturacion sold" },
	{ AG_FIG_W_GROUP, 2, 0,
	  "cost costs expense expenses spend spending spent kosten ausgaben cout couts depense depenses coste costes costo costos gasto gastos" },
	{ AG_FIG_W_GROUP, 3, 0,
	  "profit profits gewinn benefice benefices beneficio beneficios ganancia ganancias" },
	{ AG_FIG_W_GROUP, 4, 0, "price prices priced preis preise prix precio precios" },
	{ AG_FIG_W_GROUP, 5, 0,
	  "order orders ordered purchase purchases bestellung bestellungen auftrag auftrage commande commandes pedido pedidos" },
	{ AG_FIG_W_GROUP, 6, 0,
	  "customer customers client clients buyer buyers shopper shoppers kunde kunden kundin cliente clientes" },
	{ AG_FIG_W_GROUP, 7, 0,
	  "unit units quantity quantities qty piece pieces item items sold volume stuck menge einheiten unite unites quantite articles article unidad unidades cantidad" },
	{ AG_FIG_W_GROUP, 8, 0,
	  "return returns returned refund refunds refunded retoure retouren rucksendung rucksendungen retour retours devolucion devoluciones" },
	{ AG_FIG_W_GROUP, 9, 0,
	  "user users member members account accounts nutzer benutzer mitglied mitglieder konten utilisateur utilisateurs membre membres comptes "
	  "usuario usuarios miembro miembros cuentas" },
	{ AG_FIG_W_GROUP, 10, 0,
	  "visit visits session sessions visitor visitors besuche besucher sitzungen visites visiteurs visitas visitantes sesiones" },
	{ AG_FIG_W_GROUP, 11, 0,
	  "employee employees staff headcount worker workers people mitarbeiter angestellte employes salaries empleados personas" },
	{ AG_FIG_W_GROUP, 12, 0,
	  "salary salaries wage wages pay gehalt gehalter lohn lohne lohnen salaire salaires sueldo sueldos salario salarios" },
	{ AG_FIG_W_GROUP, 13, 0,
	  "product products produkt produkte artikel produit produits producto productos" },
	{ AG_FIG_W_GROUP, 14, 0,
	  "amount amounts value values worth betrag wert montant valeur importe valor monto" },
	{ AG_FIG_W_GROUP, 15, 0, "stock inventory bestand lagerbestand existencias inventario" },
	{ AG_FIG_W_GROUP, 16, 0,
	  "discount discounts rebate rabatt rabatte remise remises descuento descuentos" },
	{ AG_FIG_W_GROUP, 17, 0,
	  "tax taxes vat steuer steuern mwst taxe taxes impot impuesto impuestos iva" },
	{ AG_FIG_W_GROUP, 18, 0,
	  "rating ratings score scores stars bewertung bewertungen note notes puntuacion valoracion calificacion" },
	{ AG_FIG_W_GROUP, 19, 0, "budget budgets presupuesto" },
	{ AG_FIG_W_GROUP, 20, 0,
	  "ticket tickets case cases issue issues incident incidents vorgange anfragen incidencias" },
	{ AG_FIG_W_GROUP, 21, 0, "margin margins marge margen" },
	{ AG_FIG_W_GROUP, 22, 0,
	  "delivery deliveries shipping shipment shipments lieferung lieferungen versand livraison livraisons envio envios entrega entregas" },
	{ AG_FIG_W_GROUP, 23, 0,
	  "position positions job jobs opening openings vacancy vacancies stelle stellen positionen poste postes posicion posiciones puesto puestos vacantes" },
	{ AG_FIG_W_GROUP, 24, 0,
	  "invoice invoices bill bills rechnung rechnungen facture factures factura facturas" },
	{ AG_FIG_W_GROUP, 25, 0,
	  "payment payments zahlung zahlungen paiement paiements pago pagos" },
	{ AG_FIG_W_GROUP, 26, 0,
	  "subscription subscriptions subscriber subscribers abo abos abonnent abonnenten abonnement abonnements abonnes suscripcion "
	  "suscripciones suscriptores abonado abonados" },
	{ AG_FIG_W_GROUP, 27, 0,
	  "parcel parcels package packages paket pakete colis paquete paquetes" },
	{ AG_FIG_W_GROUP, 28, 0,
	  "signup signups registration registrations anmeldung anmeldungen inscription inscriptions registro registros alta altas" },
	{ AG_FIG_W_GROUP, 44, 0,
	  "passenger passengers traveller travellers traveler travelers fluggaste passagier passagiere passagers pasajeros viajeros" },
	{ AG_FIG_W_GROUP, 45, 0,
	  "pupil pupils student students schuler eleve eleves etudiants alumno alumnos estudiantes" },
	{ AG_FIG_W_GROUP, 46, 0, "patient patients patienten pacientes" },
	{ AG_FIG_W_GROUP, 60, 0,
	  "loan loans lending ausleihe ausleihen pret prets emprunts prestamo prestamos" },
	{ AG_FIG_W_GROUP, 61, 0,
	  "reading readings measurement measurements messung messungen ablesung ablesungen mesure mesures releve releves lectura lecturas "
	  "medicion mediciones" },
	{ AG_FIG_W_GROUP, 62, 0,
	  "failure failures outage outages fault faults breakdown breakdowns ausfall ausfalle storung storungen panne pannes coupure coupures "
	  "fallo fallos averia averias corte cortes" },
	{ AG_FIG_W_GROUP, 63, 0,
	  "admission admissions intake aufnahme aufnahmen admisiones ingresados" },
	{ AG_FIG_W_GROUP, 64, 0,
	  "appointment appointments termin termine rendez cita citas meeting meetings besprechungen reuniones reunions" },
	{ AG_FIG_W_GROUP, 65, 0,
	  "teacher teachers lehrer lehrkrafte enseignant enseignants profesor profesores" },
	{ AG_FIG_W_GROUP, 66, 0,
	  "course courses class classes kurs kurse klasse klassen cours curso cursos clases" },
	{ AG_FIG_W_GROUP, 67, 0,
	  "trip trips ride rides journey journeys fahrt fahrten reise reisen trajet trajets viaje viajes" },
	{ AG_FIG_W_GROUP, 68, 0,
	  "vehicle vehicles car cars truck trucks fahrzeug fahrzeuge vehicule vehicules vehiculo vehiculos" },
	{ AG_FIG_W_GROUP, 69, 0,
	  "driver drivers fahrer chauffeur chauffeurs conducteurs conductor conductores" },
	{ AG_FIG_W_GROUP, 70, 0, "consumption usage used use verbrauch consommation consumo" },
	{ AG_FIG_W_GROUP, 71, 0, "distance distances strecke entfernung distanz distancia" },
	{ AG_FIG_W_GROUP, 72, 0, "weight weights gewicht poids peso" },
	{ AG_FIG_W_GROUP, 73, 0,
	  "duration durations length dauer laufzeit duree duracion stay sejour estancia verweildauer" },
	{ AG_FIG_W_GROUP, 74, 0,
	  "delay delays lateness verspatung verspatungen verzogerung retard retards retraso retrasos" },
	{ AG_FIG_W_GROUP, 75, 0, "capacity capacities kapazitat capacite capacidad" },
	{ AG_FIG_W_GROUP, 76, 0,
	  "event events ereignis ereignisse veranstaltung veranstaltungen evenement evenements evento eventos" },
	{ AG_FIG_W_GROUP, 77, 0,
	  "booking bookings reservation reservations buchung buchungen reservierungen reserva reservas" },
	{ AG_FIG_W_GROUP, 78, 0,
	  "cancellation cancellations stornierung stornierungen stornos annulation annulations cancelaciones" },
	{ AG_FIG_W_GROUP, 79, 0,
	  "complaint complaints claim claims beschwerde beschwerden reklamationen schaden plainte plaintes reclamation "
	  "reclamations sinistres queja quejas reclamo reclamos siniestros" },
	{ AG_FIG_W_GROUP, 80, 0,
	  "contract contracts policy policies vertrag vertrage policen contrat contrats polices contrato contratos polizas" },
	{ AG_FIG_W_GROUP, 81, 0,
	  "supplier suppliers vendor vendors lieferant lieferanten fournisseur fournisseurs proveedor proveedores" },
	{ AG_FIG_W_GROUP, 82, 0,
	  "project projects projekt projekte projet projets proyecto proyectos" },
	{ AG_FIG_W_GROUP, 83, 0, "task tasks aufgabe aufgaben tache taches tarea tareas" },
	{ AG_FIG_W_GROUP, 84, 0,
	  "debt debts liability liabilities schuld schulden verbindlichkeiten dette dettes deuda deudas" },
	{ AG_FIG_W_GROUP, 85, 0, "balance balances saldo salden kontostand solde soldes saldos" },
	{ AG_FIG_W_GROUP, 86, 0, "loss losses verlust verluste perte pertes perdida perdidas" },
	{ AG_FIG_W_GROUP, 87, 0,
	  "donation donations gift gifts spende spenden don dons donacion donaciones" },
	{ AG_FIG_W_GROUP, 88, 0, "vote votes stimme stimmen voix voto votos" },
	{ AG_FIG_W_GROUP, 89, 0,
	  "population inhabitants residents einwohner bevolkerung habitants habitantes poblacion" },
	{ AG_FIG_W_GROUP, 90, 0, "area surface flache superficie" },
	{ AG_FIG_W_GROUP, 91, 0, "temperature temperatures temp temperatur temperatura" },
	{ AG_FIG_W_GROUP, 92, 0,
	  "yield yields harvest crop ernte ertrag ertrage recolte rendement rendimiento cosecha" },
	{ AG_FIG_W_GROUP, 93, 0,
	  "rain rainfall precipitation niederschlag regen pluie precipitations lluvia precipitacion" },
	{ AG_FIG_W_GROUP, 94, 0,
	  "game games match matches spiel spiele jeu jeux partido partidos" },
	{ AG_FIG_W_GROUP, 95, 0, "book books title titles buch bucher livre livres libro libros" },
	{ AG_FIG_W_GROUP, 96, 0, "error errors fehler erreur erreurs errores" },
	{ AG_FIG_W_GROUP, 97, 0,
	  "inspection inspections check checks inspektion kontrolle kontrollen prufung prufungen inspeccion inspecciones" },
	{ AG_FIG_W_GROUP, 102, 0, "click clicks klick klicks clic clics impression impressions" },
	{ AG_FIG_W_GROUP, 103, 0,
	  "farm farms farmen hof hofe betriebe ferme fermes granja granjas" },
	{ AG_FIG_W_GROUP, 104, 0, "pallet pallets palette paletten palettes palet palets" },
	{ AG_FIG_W_GROUP, 105, 0, "overtime uberstunden supplementaires extras" },
	{ AG_FIG_W_GROUP, 106, 0,
	  "subsidy subsidies subvention subventionen subventions subvencion subvenciones grant grants zuschuss zuschusse" },
	{ AG_FIG_W_GROUP, 107, 0, "punctuality punktlichkeit ponctualite puntualidad" },
	{ AG_FIG_W_GROUP, 108, 0, "bounce absprung rebond rebote" },
	{ AG_FIG_W_GROUP, 109, 0,
	  "fee fees fine fines rent rents fare fares premium premiums toll gebuhr gebuhren miete frais loyer tarif multa multas alquiler" },
	{ AG_FIG_W_GROUP, 100, 0,
	  "seat seats sitz sitze siege sieges escano escanos asiento asientos" },
	{ AG_FIG_W_GROUP, 101, 0,
	  "ticket tickets karte karten eintrittskarten billet billets entrada entradas boletos" },
	{ AG_FIG_W_GROUP, 98, 0,
	  "guest guests diner diners gast gaste convive convives comensal comensales huesped huespedes" },
	{ AG_FIG_W_GROUP, 99, 0,
	  "attendance audience spectator spectators attendee attendees zuschauer publikum spectateur spectateurs espectador espectadores" },
	{ AG_FIG_W_GROUP, 30, 0,
	  "share shares proportion fraction portion anteil anteile quote proporcion cuota" },
	{ AG_FIG_W_GROUP, 31, 0,
	  "percent percentage pct perc prozent prozentsatz pourcentage porcentaje" },
	{ AG_FIG_W_GROUP, 32, 0, "rate rates ratio ratios taux tasa" },
	{ AG_FIG_W_GROUP, 33, 0, "growth change yoy mom increase decrease wachstum veranderung zuwachs croissance evolution crecimiento cambio variacion" },
	{ AG_FIG_W_GROUP, 34, 0, "conversion konversion" },
	{ AG_FIG_W_GROUP, 35, 0,
	  "average avg mean averaged durchschnitt durchschnittlich durchschnittliche durchschnittlichen durchschnittlicher mittelwert moyenne moyen promedio media medio" },
	{ AG_FIG_W_GROUP, 36, 0, "max maximum highest peak maximale maximo hochste" },
	{ AG_FIG_W_GROUP, 37, 0, "min minimum lowest minimale minimo niedrigste" },
	{ AG_FIG_W_GROUP, 38, 0, "median mediane mediana" },
	{ AG_FIG_W_GROUP, 39, 0,
	  "total totals sum overall gesamt insgesamt summe totale somme suma" },
	{ AG_FIG_W_GROUP, 40, 0, "count counts number num n cnt nb anzahl nombre numero" },
	{ AG_FIG_W_GROUP, 41, 0,
	  "previous prev prior last before vorjahr vorherige precedent anterior pasado" },
	{ AG_FIG_W_GROUP, 42, 0, "distinct unique" },
	{ AG_FIG_W_GROUP, 43, 0, "new neue neuen nouveau nouveaux nouvelle nuevo nuevos" },
	{ AG_FIG_W_GROUP, 50, 0, "id ids key uuid code sku zip plz" },
	{ AG_FIG_W_GROUP, 51, 0, "year yr jahr annee ano" },
	{ AG_FIG_W_GROUP, 52, 0, "month monat mois mes" },
	{ AG_FIG_W_GROUP, 53, 0, "quarter quartal trimestre" },
	{ AG_FIG_W_GROUP, 54, 0, "week woche semaine semana" },
	{ AG_FIG_W_GROUP, 55, 0, "day tag jour dia date datum fecha hour stunde heure hora" },
	{ AG_FIG_W_GROUP, 56, 0, "rank ranking rang position platz puesto" },
	{ AG_FIG_W_GROUP, 57, 0, "age alter edad" },
	{ AG_FIG_W_GROUP, 58, 0,
	  "placed made shipped received completed paid booked created used won closed opened" },
};

static const struct {
	int group;
	unsigned traits;
} traits[] = {
	{ 1, AG_FIG_T_MONEY },
	{ 2, AG_FIG_T_MONEY },
	{ 3, AG_FIG_T_MONEY },
	{ 4, AG_FIG_T_MONEY },
	{ 5, AG_FIG_T_COUNT },
	{ 6, AG_FIG_T_COUNT },
	{ 7, AG_FIG_T_COUNT },
	{ 8, AG_FIG_T_COUNT },
	{ 9, AG_FIG_T_COUNT },
	{ 10, AG_FIG_T_COUNT },
	{ 11, AG_FIG_T_COUNT },
	{ 12, AG_FIG_T_MONEY },
	{ 13, AG_FIG_T_COUNT },
	{ 14, AG_FIG_T_MONEY },
	{ 15, AG_FIG_T_COUNT },
	{ 16, AG_FIG_T_SHARE },
	{ 17, AG_FIG_T_MONEY },
	{ 18, AG_FIG_T_COUNT },
	{ 19, AG_FIG_T_MONEY },
	{ 20, AG_FIG_T_COUNT },
	{ 21, AG_FIG_T_SHARE },
	{ 23, AG_FIG_T_COUNT },
	{ 24, AG_FIG_T_COUNT },
	{ 26, AG_FIG_T_COUNT },
	{ 27, AG_FIG_T_COUNT },
	{ 28, AG_FIG_T_COUNT },
	{ 44, AG_FIG_T_COUNT },
	{ 45, AG_FIG_T_COUNT },
	{ 46, AG_FIG_T_COUNT },
	{ 60, AG_FIG_T_COUNT },
	{ 61, AG_FIG_T_COUNT },
	{ 62, AG_FIG_T_COUNT },
	{ 63, AG_FIG_T_COUNT },
	{ 84, AG_FIG_T_MONEY },
	{ 87, AG_FIG_T_MONEY },
	{ 89, AG_FIG_T_COUNT },
	{ 102, AG_FIG_T_COUNT },
	{ 103, AG_FIG_T_COUNT },
	{ 104, AG_FIG_T_COUNT },
	{ 106, AG_FIG_T_MONEY },
	{ 109, AG_FIG_T_MONEY },
	{ 30, AG_FIG_T_SHARE | AG_FIG_T_QUALIFIER },
	{ 31, AG_FIG_T_SHARE | AG_FIG_T_PERCENT | AG_FIG_T_FREE },
	{ 32, AG_FIG_T_SHARE | AG_FIG_T_QUALIFIER },
	{ 33, AG_FIG_T_SHARE | AG_FIG_T_QUALIFIER },
	{ 34, AG_FIG_T_SHARE },
	{ 35, AG_FIG_T_QUALIFIER | AG_FIG_T_AVERAGE },
	{ 36, AG_FIG_T_QUALIFIER },
	{ 37, AG_FIG_T_QUALIFIER },
	{ 38, AG_FIG_T_QUALIFIER },
	{ 39, AG_FIG_T_FREE },
	{ 40, AG_FIG_T_FREE | AG_FIG_T_COUNT },
	{ 41, AG_FIG_T_QUALIFIER },
	{ 42, AG_FIG_T_FREE | AG_FIG_T_COUNT },
	{ 43, AG_FIG_T_QUALIFIER },
	{ 50, AG_FIG_T_KEY },
	{ 51, AG_FIG_T_KEY },
	{ 52, AG_FIG_T_KEY },
	{ 53, AG_FIG_T_KEY },
	{ 54, AG_FIG_T_KEY },
	{ 55, AG_FIG_T_KEY },
	{ 56, AG_FIG_T_RANK },
	{ 57, AG_FIG_T_COUNT },
	{ 58, AG_FIG_T_DONE },
};

unsigned ag_fig_group_traits(int group)
{
	for (size_t i = 0; i < sizeof(traits) / sizeof(traits[0]); i++) {
		if (traits[i].group == group)
			return traits[i].traits;
	}
	return 0;
}

double ag_fig_unit_size(int unit, int *ret_family)
{
	static const struct {
		double size;
		int family;
	} units[] = { { 0, 0 },     { 0.001, 1 },   { 1, 1 },    { 60, 1 },    { 3600, 1 },
		      { 86400, 1 }, { 604800, 1 },  { 1, 2 },    { 12, 2 },    { 1, 3 },
		      { 1000, 3 },  { 1000000, 3 }, { 0.01, 4 }, { 1, 4 },     { 1000, 4 },
		      { 1, 5 },     { 1e3, 5 },     { 1e6, 5 },  { 1e9, 5 },   { 0.001, 4 },
		      { 1, 6 },     { 1e3, 6 },     { 1e6, 6 },  { 1e9, 6 },   { 1, 7 },
		      { 1e3, 7 },   { 1, 8 },       { 1, 9 },    { 0.001, 9 }, { 100, 9 } };

	const size_t at = unit > 0 ? (size_t)unit : 0;

	if (!at || at >= sizeof(units) / sizeof(units[0]))
		return 0;
	*ret_family = units[at].family;
	return units[at].size;
}

/* --- the table of words: one slot for each meaning of a word --- */

typedef struct fig_slot {
	const char *word;
	unsigned cues;
	uint8_t len;
	int8_t value[AG_FIG_NW]; /* plus 1; 0 = none */
} fig_slot;

struct ag_fig_words {
	fig_slot slots[NSLOT];
};

static uint64_t fig_hash(ag_str s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * UINT64_C(1099511628211);
	return h ^ h >> 29;
}

static size_t fig_slot_of(const ag_fig_words *w, ag_str word)
{
	size_t i = (size_t)fig_hash(word) & (NSLOT - 1);

	while (w->slots[i].len && !ag_str_eq(ag_str_make(w->slots[i].word, w->slots[i].len), word))
		i = (i + 1) & (NSLOT - 1);
	return i;
}

/* Made with the first check, and constant from then on. */
static ag_fig_words all_words;

static void make_words(void)
{
	ag_fig_words *w = &all_words;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ag_str rest = ag_str_c(rows[i].words);

		while (rest.ptr) {
			const ag_str word = ag_str_split(&rest, ' ');
			fig_slot *s = &w->slots[fig_slot_of(w, word)];

			if (!word.len)
				continue;
			AG_ASSERT(word.len < UINT8_MAX && rows[i].value < INT8_MAX);
			s->word = word.ptr;
			s->len = (uint8_t)word.len;
			s->cues |= rows[i].cues;
			if (rows[i].what != AG_FIG_W_CUE && !s->value[rows[i].what])
				s->value[rows[i].what] = (int8_t)(rows[i].value + 1);
		}
	}
}

const ag_fig_words *ag_fig_words_all(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_words);
	return &all_words;
}

unsigned ag_fig_cues(const ag_fig_words *w, ag_str fold)
{
	return fold.len ? w->slots[fig_slot_of(w, fold)].cues : 0;
}

int ag_fig_value(const ag_fig_words *w, ag_fig_what what, ag_str fold)
{
	return fold.len ? w->slots[fig_slot_of(w, fold)].value[what] - 1 : -1;
}

/* --- forms of words --- */

bool ag_fig_is_letter(uint32_t cp)
{
	if (cp < 0x80)
		return (cp | 32) >= 'a' && (cp | 32) <= 'z';
	if (cp < 0xC0)
		return cp == 0xAA || cp == 0xB5 || cp == 0xBA;
	if (cp == 0xD7 || cp == 0xF7 || cp == 0xFFFD)
		return false;
	return !(cp >= 0x2000 && cp <= 0x2BFF) && !(cp >= 0x3000 && cp <= 0x303F) &&
	       !(cp >= 0xFE00 && cp <= 0xFE0F) && !(cp >= 0xFF00 && cp <= 0xFF20) && cp < 0x1F000;
}

/* Of U+00C0 to U+017F, two letters for the few that need them. */
static const char *fig_plain(uint32_t cp)
{
	static const char *const latin[] = {
		"a", "a", "a", "a", "a", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i",  "i",
		"d", "n", "o", "o", "o", "o", "o",  "",  "o", "u", "u", "u", "u", "y", "th", "ss",
	};

	if (cp >= 0xC0 && cp <= 0xFF)
		return cp == 0xFF ? "y" : latin[(cp - 0xC0) & 31];
	if (cp == 0x152 || cp == 0x153)
		return "oe";
	if (cp == 0x160 || cp == 0x161)
		return "s";
	if (cp == 0x17D || cp == 0x17E)
		return "z";
	return NULL;
}

ag_str ag_fig_fold(ag_str word, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, word.len * 4 + 1);
	size_t n = 0;

	for (size_t pos = 0; pos < word.len;) {
		const uint32_t cp = ag_utf8_next(word, &pos);
		const char *plain = fig_plain(cp);

		if (cp >= 0x300 && cp <= 0x36F)
			continue;
		if (plain) {
			for (; *plain; plain++)
				to[n++] = *plain;
		} else if (cp < 0x80) {
			to[n++] = (char)(cp >= 'A' && cp <= 'Z' ? cp + 32 : cp);
		} else {
			const bool is_upper = (cp >= 0x391 && cp <= 0x3A9) ||
			                      (cp >= 0x410 && cp <= 0x42F);

			n += ag_utf8_put(to + n, is_upper ? cp + 32 : cp);
		}
	}
	return ag_str_make(to, n);
}

ag_str ag_fig_stem(ag_str s)
{
	if (s.len > 2 && s.ptr[s.len - 2] == '\'' && s.ptr[s.len - 1] == 's')
		s.len -= 2;
	if (s.len > 4 && ag_str_ends(s, AG_S("ies"))) /* categories, category */
		return ag_str_make(s.ptr, s.len - 2);
	if (s.len > 4 && s.ptr[s.len - 1] == 'y' && !strchr("aeou", s.ptr[s.len - 2]))
		return ag_str_make(s.ptr, s.len); /* matched by its beginning */
	if (s.len > 4 && (ag_str_ends(s, AG_S("sses")) || ag_str_ends(s, AG_S("xes")) ||
	                  ag_str_ends(s, AG_S("ches")) || ag_str_ends(s, AG_S("shes"))))
		return ag_str_make(s.ptr, s.len - 2);
	if (s.len > 3 && s.ptr[s.len - 1] == 's' && s.ptr[s.len - 2] != 's' &&
	    s.ptr[s.len - 2] != 'u' && s.ptr[s.len - 2] != 'i')
		return ag_str_make(s.ptr, s.len - 1);
	return s;
}

float ag_fig_same(ag_str a, ag_str b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	if (n == a.len && n == b.len)
		return 1.0f;
	if (n >= 5 && a.len - n <= 2 && b.len - n <= 2)
		return 0.95f;
	/* satisfaction, satisfacción */
	if (n >= 4 && a.len >= 8 && b.len >= 8 && a.len <= 24 && b.len <= 24 &&
	    ag_str_distance(a, b) * 4 <=
	            (a.len > b.len ? a.len : b.len)) /* cancellation, cancelación */
		return 0.8f;
	return n >= 6 && n * 5 >= (a.len > b.len ? a.len : b.len) * 3 ? 0.8f : 0;
}

unsigned ag_fig_language(ag_str text, const ag_fig_words *w, ag_arena *arena)
{
	static const unsigned langs[] = { AG_FIG_EN, AG_FIG_DE, AG_FIG_FR, AG_FIG_ES };
	size_t count[4] = { 0 }, best = 0;
	unsigned ret = 0;

	for (size_t pos = 0; pos < text.len && pos < 8192;) {
		const size_t from = pos;
		size_t end = pos;
		unsigned cues;
		size_t by = 2;

		while (pos < text.len && ag_fig_is_letter(ag_utf8_next(text, &pos)))
			end = pos;
		if (end == from || end - from > 16)
			continue;
		cues = ag_fig_cues(w, ag_fig_fold(ag_str_make(text.ptr + from, end - from), arena));
		/* A word with a capital letter may be part of a name: "The Pier verzeichnet". */
		by -= text.ptr[from] >= 'A' && text.ptr[from] <= 'Z';
		/* A unit after a number: "12 ha" is not Spanish. */
		if (from > 1 && text.ptr[from - 1] == ' ' && text.ptr[from - 2] >= '0' &&
		    text.ptr[from - 2] <= '9' &&
		    ag_fig_value(w, AG_FIG_W_UNIT,
		                 ag_fig_fold(ag_str_make(text.ptr + from, end - from), arena)) > 0)
			continue;
		for (size_t k = 0; k < 4; k++)
			count[k] += (cues & langs[k]) ? by : 0;
	}
	for (size_t k = 1; k < 4; k++)
		best = count[k] > count[best] ? k : best;
	for (size_t k = 0; k < 4 && count[best]; k++)
		ret |= count[k] == count[best] ? langs[k] : 0;
	return ret;
}
